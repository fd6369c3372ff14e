//! The columns of a database, for the error of one that it does not have.

use serde_json::Value;
use stead_core::{
    Error,
    similar::similar,
    tool::{ApiRequest, Io},
};

use crate::{
    data_source::{self, Found, only_source},
    version::Version,
};

/// What the product says of a property that it cannot find, in a row and in a query.
const UNKNOWN: [&str; 2] = [
    "is not a property that exists",
    "Could not find sort property",
];
/// Columns that the error names.
const SHOWN: usize = 50;

/// A column as an error shows it.
struct Column {
    name: String,
    kind: String,
    id: String,
}

/// How a tool names columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Name,
    Id,
}

/// Adds the columns to an error that says that one of `asked` does not exist. Where they cannot be read it stays as it
/// is.
pub(crate) async fn named<'a>(
    io: Io<'_>,
    version: Version<'_>,
    database: &str,
    by: By,
    asked: impl Iterator<Item = &'a str>,
    error: Error,
) -> Error {
    let said = error
        .upstream()
        .and_then(|upstream| upstream.message.as_deref());
    let Some(said) = said.filter(|said| UNKNOWN.iter().any(|words| said.contains(words))) else {
        return error;
    };
    let asked = asked
        .filter(|asked| said.contains(asked))
        .max_by_key(|asked| asked.len());
    let Some(asked) = asked else { return error };
    let columns = match definition(io, version, database).await {
        Some(definition) => columns(&definition),
        None => Vec::new(),
    };
    if columns.is_empty() {
        return error;
    }
    let message = format!("{}{}", error.message(), listed(asked, by, &columns));
    error.clone().reclassify(error.kind(), message)
}

/// The definition of what holds the columns.
async fn definition(io: Io<'_>, version: Version<'_>, id: &str) -> Option<Value> {
    if !version.has_data_sources() {
        let request = version.on(ApiRequest::get(["databases", id]));
        return io.send(request).await.ok()?.json().ok();
    }
    match data_source::find(io, version, id).await.ok()? {
        Found::DataSource(response) => response.json().ok(),
        Found::Database(database) => {
            let request = data_source::get(version, &only_source(&database).ok()?);
            io.send(request).await.ok()?.json().ok()
        }
    }
}

fn columns(definition: &Value) -> Vec<Column> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let columns = definition["properties"].as_object().into_iter().flatten();
    columns
        .map(|(name, column)| Column {
            name: name.clone(),
            kind: text(&column["type"]),
            id: text(&column["id"]),
        })
        .collect()
}

/// The columns with their types, those first that are like the one that was asked for.
fn listed(asked: &str, by: By, columns: &[Column]) -> String {
    let shown = |column: &Column| match by {
        By::Name => format!("{:?} ({})", column.name, column.kind),
        By::Id => format!("{:?} ({}, id {:?})", column.name, column.kind, column.id),
    };
    let names = columns.iter().map(|column| column.name.as_str());
    let near: Vec<String> = similar(asked, names)
        .into_iter()
        .filter_map(|name| columns.iter().find(|column| column.name == name))
        .map(shown)
        .collect();
    let hint = match near.is_empty() {
        true => String::from("; its columns are"),
        false => format!("; did you mean {}? Its columns are", near.join(", ")),
    };
    let all: Vec<String> = columns.iter().take(SHOWN).map(shown).collect();
    let more = match columns.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{hint} {}{more}", all.join(", "))
}
