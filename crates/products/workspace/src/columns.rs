//! Adds the columns of a database to the error for an unknown column.

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

/// The product's messages about an unknown property, in a row and in a query.
const UNKNOWN: [&str; 3] = [
    "is not a property that exists",
    "Could not find sort property",
    "Could not find property",
];
/// The product's message about a comparison that a column's type doesn't have. It names both types, but not the column.
const MISMATCH: &str = "does not match filter";
/// Most columns in the error.
const SHOWN: usize = 50;

/// A column in an error message.
struct Column {
    name: String,
    kind: String,
    id: String,
}

/// How a tool identifies columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Name,
    Id,
}

/// Adds the columns to an error about a column of `asked` that doesn't exist or has another type. If they can't be read, the error doesn't
/// change.
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
    let Some(said) = said else { return error };
    let asked = if said.contains(MISMATCH) {
        Some("")
    } else if UNKNOWN.iter().any(|words| said.contains(words)) {
        let asked = asked.filter(|asked| said.contains(asked));
        asked.max_by_key(|asked| asked.len())
    } else {
        None
    };
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

/// The definition of the database or data source that has the columns.
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

/// The columns with their types, with columns similar to the requested one first.
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
