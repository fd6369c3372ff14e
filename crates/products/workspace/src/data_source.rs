//! From a database's id to where its rows and columns are. In versions with data sources they belong to one of those,
//! and the database only holds them (Notion API, "Upgrading to 2025-09-03").

use serde_json::Value;
use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Io, Response},
};

use crate::version::Version;

/// What an id stands for in a version with data sources.
pub(crate) enum Found {
    /// A database: its definition, with its data sources.
    Database(Value),
    /// The id was that of a data source: its definition as it came.
    DataSource(Response),
}

/// Looks a database up. An id that is not of a database may be that of a data source, as a search gives it.
pub(crate) async fn find(io: Io<'_>, version: Version<'_>, id: &str) -> Result<Found> {
    let database = version
        .on(ApiRequest::get(["databases", id]))
        .accept(&[404]);
    let response = io.send(database).await?;
    if response.status == 404 {
        return Ok(Found::DataSource(io.send(get(version, id)).await?));
    }
    Ok(Found::Database(response.json()?))
}

/// The segments of the path below which the rows of a database are queried.
pub(crate) async fn rows(io: Io<'_>, version: Version<'_>, id: String) -> Result<[String; 3]> {
    let path = |layer: &str, id: String| [layer.to_owned(), id, String::from("query")];
    if !version.has_data_sources() {
        return Ok(path("databases", id));
    }
    Ok(match find(io, version, &id).await? {
        Found::Database(database) => path("data_sources", only_source(&database)?),
        Found::DataSource(_) => path("data_sources", id),
    })
}

/// The definition of a data source.
pub(crate) fn get(version: Version<'_>, id: &str) -> ApiRequest {
    version.on(ApiRequest::get(["data_sources", id]))
}

/// The id of the only data source. Where there are several, taking the first would mix up the user's data.
pub(crate) fn only_source(database: &Value) -> Result<String> {
    let sources: Vec<(&str, &str)> = database["data_sources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|source| {
            Some((
                source["id"].as_str()?,
                source["name"].as_str().unwrap_or_default(),
            ))
        })
        .collect();
    let message = match sources.as_slice() {
        [(only, _)] => return Ok((*only).to_owned()),
        [] => String::from(
            "the database has no data source that the integration can read; a linked view has none of its own",
        ),
        several => {
            let named: Vec<String> = several
                .iter()
                .map(|(id, name)| format!("{name:?} ({id})"))
                .collect();
            format!(
                "the database has several data sources; give the id of one as database_id: {}",
                named.join(", ")
            )
        }
    };
    Err(Error::new(ErrorKind::ProductConflict, message))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_data_source_is_certain_and_others_are_not() {
        let one = json!({"data_sources": [{"id": "a", "name": "Tasks"}]});
        assert_eq!(only_source(&one).unwrap(), "a");
        let two =
            json!({"data_sources": [{"id": "a", "name": "Tasks"}, {"id": "b", "name": "People"}]});
        let error = only_source(&two).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ProductConflict);
        assert!(
            error.message().contains("\"Tasks\" (a), \"People\" (b)"),
            "{error}"
        );
        for none in [json!({}), json!({"data_sources": []}), json!(null)] {
            assert_eq!(
                only_source(&none).unwrap_err().kind(),
                ErrorKind::ProductConflict
            );
        }
    }
}
