//! A database with its columns.

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

/// Read the definition of a database: its title and its columns with names, ids and types; no rows.
///
/// Do so before writing rows, and use the names exactly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct FetchDatabase {
    /// Id or URL of the database, or the id of one of its data sources.
    pub database_id: Id,
    /// Version of the product's API for this call, a date (YYYY-MM-DD); 2022-06-28 when absent. From 2025-09-03 on, the
    /// columns are read from the database's data source and put into the response.
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

    /// Notion API, "Retrieve a database"; from 2025-09-03 on "Retrieve a data source" too.
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

/// The database with the columns of its only data source; where there are several, each has its own.
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
        let message = "the database has no data source that the integration can read, so no columns are known; a linked view has none of its own";
        output.warn("no_data_source", message)
    } else {
        let message = format!(
            "the database has {number} data sources, each with columns of its own; to read or add rows, give the id of one as database_id"
        );
        output.warn("several_data_sources", message)
    })
}
