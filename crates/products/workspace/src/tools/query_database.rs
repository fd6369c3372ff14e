//! Reads the rows of a database in any order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
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
    readable::RowsView,
    rows::rows,
    scopes, sort,
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
    /// Most rows to return; 100 when absent.
    #[schemars(range(min = 1, max = 100))]
    pub page_size: Option<u32>,
    /// `next_cursor` of the previous page, with the same `sorts`.
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
        sort::check(self.sorts.as_deref().unwrap_or_default(), &mut violations);
        violations.finish()?;
        Ok(id.unwrap_or_default())
    }

    async fn query(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let id = self.read()?;
        let mut version = Version::of(self.workspace_version.as_ref()).or_of(call);
        let mut body = Map::new();
        if let Some(page_size) = self.page_size {
            body.insert(String::from("page_size"), json!(page_size));
        }
        if let Some(start_cursor) = &self.start_cursor {
            body.insert(String::from("start_cursor"), json!(start_cursor));
        }
        if let Some(sorts) = &self.sorts {
            body.insert(String::from("sorts"), json!(sorts));
        }
        let request = |path| {
            ApiRequest::post::<String>(path)
                .json(&body)
                .effect(Effect::Read)
                .retry(Retry::Always)
        };
        match data_source::query(io, &mut version, &id, request).await {
            Ok(response) => rows(response, true),
            Err(error) => {
                let sorts = self.sorts.iter().flatten();
                let asked = sorts.filter_map(|sort| sort.property.as_deref());
                Err(columns::named(io, version, &id, By::Name, asked, error).await)
            }
        }
    }
}
