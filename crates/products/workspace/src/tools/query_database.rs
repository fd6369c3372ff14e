//! Reads the rows of a database in any order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
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
    query::Query,
    readable::RowsView,
    rows::rows,
    scopes,
    version::{PATTERN, Version},
};

/// Read the rows of a database with all their columns. Rows are large, a kilobyte or more each. For a single column, use
/// `workspace_query_database_properties`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct QueryDatabase {
    /// Id or URL of the database, or the id of one of its data sources.
    pub database_id: Id,
    /// Condition for rows, as Notion writes it: `{"property": "Status", "select": {"equals": "Read"}}`, or up to two levels
    /// of `{"and": […]}` and `{"or": […]}`. The member after `property` is the column's type.
    pub filter: Option<Map<String, Value>>,
    /// Most rows to return; 100 when absent.
    #[schemars(range(min = 1, max = 100))]
    pub page_size: Option<u32>,
    /// `next_cursor` of the previous page, with the same `filter` and `sorts`.
    pub start_cursor: Option<String>,
    /// Sort order of the rows, with the most important criterion first.
    pub sorts: Option<Vec<Sort>>,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent. From 2025-09-03 on, rows are read from the
    /// database's data source.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

impl Tool for QueryDatabase {
    const NAME: &'static str = "workspace_query_database";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<RowsView>();

    fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// Notion API, "Query a database"; from 2025-09-03 on "Query a data source".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.query(call, io)
            .await
            .map_err(|error| needs(error, scopes::READ_CONTENT))
    }
}

impl QueryDatabase {
    /// The database's id.
    fn read(&self) -> Result<String> {
        let mut violations = Violations::default();
        let id = violations.read(self.database_id.database("/database_id"));
        self.rows().check(&mut violations);
        violations.finish()?;
        Ok(id.unwrap_or_default())
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
        let id = self.read()?;
        let mut version = Version::of(self.workspace_version.as_ref()).or_of(call);
        let query = self.rows();
        let body = query.body();
        let request = |path| {
            ApiRequest::post::<String>(path)
                .json(&body)
                .effect(Effect::Read)
                .retry(Retry::Always)
        };
        match data_source::query(io, &mut version, &id, request).await {
            Ok(response) => rows(response, true),
            Err(error) => {
                let asked = query.columns();
                Err(columns::named(io, version, &id, By::Name, asked, error).await)
            }
        }
    }
}
