//! Reads a database with its columns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stead_core::{
    ErrorKind, Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Database, Id,
    data_source::{self, Found},
    errors::{has_several_sources, needs},
    readable::DatabaseView,
    scopes,
    version::{PATTERN, Version},
};

/// Read the definition of a database: its title, and its columns with names, ids and types. It doesn't return rows.
///
/// Call this before you write rows, and use the exact names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct FetchDatabase {
    /// Id or URL of the database, or the id of one of its data sources.
    pub database_id: Id,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent. From 2025-09-03 on, the columns are read
    /// from the database's data source and added to the response.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

impl Tool for FetchDatabase {
    const NAME: &'static str = "workspace_fetch_database";
    const ALIASES: &'static [&'static str] = &["fetch_database"];
    const EFFECT: Effect = Effect::Read;
    type Output = Database;
    const READABLE: Option<ReadableView> = ReadableView::some::<DatabaseView>();

    fn check(&self) -> Result<()> {
        self.database_id.database("/database_id").map(drop)
    }

    /// Notion API, "Retrieve a database"; from 2025-09-03 on also "Retrieve a data source".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.fetch(call, io)
            .await
            .map_err(|error| needs(error, scopes::READ_CONTENT))
    }
}

impl FetchDatabase {
    async fn fetch(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let id = self.database_id.database("/database_id")?;
        let mut version = Version::of(self.workspace_version.as_ref()).or_of(call);
        if !version.has_data_sources() {
            let older = version.on(ApiRequest::get(["databases", &id]));
            version = version.with_data_sources();
            match io.send(older).await {
                Err(error) if has_several_sources(&error) => {}
                Err(error) if error.kind() == ErrorKind::ProductNotFound => {
                    let source = io.send(data_source::get(version, &id)).await;
                    return Ok(source.map_err(|_| error)?.into());
                }
                outcome => return Ok(outcome?.into()),
            }
        }
        match data_source::find(io, version, &id).await? {
            Found::DataSource(response) => Ok(response.into()),
            Found::Database(database) => with_columns(io, version, database).await,
        }
    }
}

/// The database with the columns of its only data source. If there are several, each has its own columns.
async fn with_columns(io: Io<'_>, version: Version<'_>, mut database: Value) -> Result<Output> {
    let mut listed = match database["data_sources"].take() {
        Value::Array(listed) => listed,
        _ => Vec::new(),
    };
    let get = |source: &Value| data_source::get(version, source["id"].as_str().unwrap_or_default());
    let gets = listed.iter().map(get).collect();
    let mut columns = Vec::with_capacity(listed.len());
    for response in io.send_all(gets).await {
        let mut source: Value = response?.json()?;
        columns.push(source["properties"].take());
    }
    let only = match columns.as_mut_slice() {
        [only] => Some(only.take()),
        _ => None,
    };
    let is_only = only.is_some();
    if let Some(only) = only {
        database["properties"] = only;
    } else {
        for (source, columns) in listed.iter_mut().zip(columns) {
            source["properties"] = columns;
        }
    }
    let number = listed.len();
    database["data_sources"] = Value::Array(listed);
    let output = Output::from(database);
    Ok(if is_only {
        output
    } else if number == 0 {
        let message = "the database has no data source that the integration can read, so its columns aren't known; a linked view has no data source of its own";
        output.warn("no_data_source", message)
    } else {
        let message = format!(
            "the database has {number} data sources, each with its own columns; to read or add rows, set database_id to the id of one of them"
        );
        output.warn("several_data_sources", message)
    })
}
