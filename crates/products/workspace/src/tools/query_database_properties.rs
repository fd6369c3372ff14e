//! Reads the rows of a database with one column.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Retry, Tool},
};

use crate::{
    Id, Rows,
    columns::{self, By},
    data_source,
    errors::needs,
    properties::plain_id,
    readable::RowsView,
    rows::rows,
    scopes,
    version::{PATTERN, Version},
};

/// Read the first 100 rows of a database with a single column, which keeps the result small.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct QueryDatabaseProperties {
    /// Id or URL of the database, or the id of one of its data sources.
    pub database_id: Id,
    /// Id of the column, not its name, from `workspace_fetch_database`; all columns when absent.
    pub property_id: Option<String>,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent. From 2025-09-03 on, rows are read from the
    /// database's data source.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

impl Tool for QueryDatabaseProperties {
    const NAME: &'static str = "workspace_query_database_properties";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<RowsView>();

    fn check(&self) -> Result<()> {
        self.database_id.database("/database_id").map(drop)
    }

    /// Notion API, "Query a database" with `filter_properties`; from 2025-09-03 on "Query a data source".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.query(call, io)
            .await
            .map_err(|error| needs(error, scopes::READ_CONTENT))
    }
}

impl QueryDatabaseProperties {
    async fn query(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let id = self.database_id.database("/database_id")?;
        let mut version = Version::of(self.workspace_version.as_ref()).or_of(call);
        let property = self.property_id.as_deref().map(plain_id);
        let request = |path| {
            ApiRequest::post::<String>(path)
                .query("filter_properties", property.clone())
                .json(&json!({}))
                .effect(Effect::Read)
                .retry(Retry::Always)
        };
        match data_source::query(io, &mut version, &id, request).await {
            Ok(response) => rows(response, false),
            Err(error) => {
                let asked = self.property_id.as_deref().into_iter();
                Err(columns::named(io, version, &id, By::Id, asked, error).await)
            }
        }
    }
}
