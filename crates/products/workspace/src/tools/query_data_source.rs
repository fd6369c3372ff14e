//! Reads the rows of a data source that meet a condition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::{
    Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Retry, Tool},
};

use crate::{
    Id, Rows, Sort,
    columns::{self, By},
    data_source,
    errors::needs,
    properties::plain_id,
    query::Query,
    readable::EntriesView,
    rows::rows,
    scopes,
    version::{PATTERN, Version},
};

/// Read the rows of a database that meet a condition, in any order. The filter compares columns; to find pages by words in
/// their title, use `workspace_search`.
///
/// Set `data_source_id`, or `database_id` if the database has only one data source. For column names and types, call
/// `workspace_fetch_database` first. Rows are large, a kilobyte or more each; `filter_properties` makes them smaller.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
pub struct QueryDataSource {
    /// Id of the data source, from `workspace_search` or `workspace_fetch_database`.
    pub data_source_id: Option<Id>,
    /// Id or URL of the database that contains it.
    pub database_id: Option<Id>,
    /// Condition for rows, as Notion writes it: `{"property": "Status", "select": {"equals": "Read"}}`, or up to two levels
    /// of `{"and": […]}` and `{"or": […]}`. The member after `property` is the column's type.
    pub filter: Option<Map<String, Value>>,
    /// Sort order of the rows, with the most important criterion first.
    pub sorts: Option<Vec<Sort>>,
    /// Most rows to return; 100 when absent.
    #[schemars(range(min = 1, max = 100))]
    pub page_size: Option<u32>,
    /// `next_cursor` of the previous page, with the same `filter` and `sorts`.
    pub start_cursor: Option<String>,
    /// Ids of the columns to return, not their names, from `workspace_fetch_database`; all columns when absent.
    pub filter_properties: Option<Vec<String>>,
    /// True for the rows in the trash, false for the others.
    pub in_trash: Option<bool>,
    /// Kind of entry to return; both when absent. Only a wiki contains data sources.
    pub result_type: Option<EntryType>,
    /// API version for this call, a date (YYYY-MM-DD); 2026-03-11 when absent.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

/// A kind of entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The names are self-explanatory.
#[schemars(extend("x-obvious" = true))]
pub enum EntryType {
    /// Pages, which are rows.
    Page,
    /// Data sources of a wiki.
    DataSource,
}

impl Tool for QueryDataSource {
    const NAME: &'static str = "workspace_query_data_source";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<EntriesView>();

    fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// Notion API, "Query a data source"; before 2025-09-03 "Query a database".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.query(call, io)
            .await
            .map_err(|error| needs(error, scopes::READ_CONTENT))
    }
}

/// The id of the rows' container.
enum Container {
    DataSource(String),
    Database(String),
}

impl QueryDataSource {
    fn read(&self) -> Result<Container> {
        let mut violations = Violations::default();
        let source = self.data_source_id.as_ref();
        let source = source.map(|id| violations.read(id.database("/data_source_id")));
        let database = self.database_id.as_ref();
        let database = database.map(|id| violations.read(id.database("/database_id")));
        let container = match (source, database) {
            (Some(source), None) => Container::DataSource(source.unwrap_or_default()),
            (None, Some(database)) => Container::Database(database.unwrap_or_default()),
            (None, None) => {
                let message = "set data_source_id or database_id";
                violations.add("/data_source_id", "required", message);
                Container::DataSource(String::new())
            }
            (Some(_), Some(_)) => {
                let message = "set data_source_id or database_id, not both";
                violations.add("/database_id", "oneOf", message);
                Container::DataSource(String::new())
            }
        };
        self.rows().check(&mut violations);
        violations.finish()?;
        Ok(container)
    }

    fn rows(&self) -> Query<'_> {
        Query {
            filter: self.filter.as_ref(),
            sorts: self.sorts.as_deref(),
            page_size: self.page_size,
            start_cursor: self.start_cursor.as_deref(),
        }
    }

    async fn query(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let container = self.read()?;
        let mut version = Version::of(self.workspace_version.as_ref())
            .or_of(call)
            .or_newest();
        // Older versions know neither the id of a data source nor kinds of entries.
        if matches!(container, Container::DataSource(_)) || self.result_type.is_some() {
            version = version.with_data_sources();
        }
        let query = self.rows();
        let mut body = query.body();
        if let Some(in_trash) = self.in_trash {
            let name = match version.has_positions() {
                true => "in_trash",
                false => "archived",
            };
            body.insert(name.to_owned(), json!(in_trash));
        }
        if let Some(result_type) = self.result_type {
            body.insert(String::from("result_type"), json!(result_type));
        }
        let properties = self.filter_properties.iter().flatten();
        let properties: Vec<String> = properties.map(|id| plain_id(id)).collect();
        let request = |path| {
            ApiRequest::post::<String>(path)
                .query("filter_properties", &properties)
                .json(&body)
                .effect(Effect::Read)
                .retry(Retry::Always)
        };
        let (outcome, id) = match container {
            Container::DataSource(id) => {
                let outcome = data_source::query_source(io, version, &id, request).await;
                (outcome, id)
            }
            Container::Database(id) => {
                let outcome = data_source::query(io, &mut version, &id, request).await;
                (outcome, id)
            }
        };
        match outcome {
            Ok(response) => rows(response, true),
            Err(error) => {
                let properties = self.filter_properties.iter().flatten();
                let asked = query.columns().chain(properties.map(String::as_str));
                Err(columns::named(io, version, &id, By::Id, asked, error).await)
            }
        }
    }
}
