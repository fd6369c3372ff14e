//! Finds the rows and columns of a database. In versions with data sources, these belong to a data source, and the database
//! only contains it (Notion API, "Upgrading to 2025-09-03").

use serde_json::Value;
use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Io, Response},
};

use crate::{errors::has_several_sources, version::Version};

/// The object with an id, in a version with data sources.
pub(crate) enum Found {
    /// A database: its definition, with its data sources.
    Database(Value),
    /// The id belongs to a data source. This is its definition.
    DataSource(Response),
}

/// Finds a database. An id that isn't a database's may belong to a data source, which searches return.
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

/// Queries the rows of a database or a data source. If an older version doesn't know the database, the query uses the newer
/// version and sets `version` to it.
pub(crate) async fn query(
    io: Io<'_>,
    version: &mut Version<'_>,
    id: &str,
    request: impl Fn([String; 3]) -> ApiRequest,
) -> Result<Response> {
    let path = rows(io, *version, id.to_owned()).await?;
    let error = match io.send(version.on(request(path))).await {
        Err(error) if !version.has_data_sources() => error,
        outcome => return outcome,
    };
    let source = meant(io, *version, id, error).await?;
    *version = version.with_data_sources();
    io.send(version.on(request(rows_of("data_sources", source))))
        .await
}

/// Queries the rows of a data source. If the id is a database's with a single data source, that one is used.
pub(crate) async fn query_source(
    io: Io<'_>,
    version: Version<'_>,
    id: &str,
    request: impl Fn([String; 3]) -> ApiRequest,
) -> Result<Response> {
    let send = |id: String| io.send(version.on(request(rows_of("data_sources", id))));
    let error = match send(id.to_owned()).await {
        Err(error) if error.kind() == ErrorKind::ProductNotFound => error,
        outcome => return outcome,
    };
    let database = version.on(ApiRequest::get(["databases", id]));
    match io.send(database).await {
        Ok(database) => send(only_source(&database.json()?)?).await,
        Err(_) => Err(error),
    }
}

/// Finds the data source to use after the product refused a request for a database. Its id may belong to a data source,
/// which searches return. Or the database has data sources that the older version doesn't support.
///
/// # Errors
/// Returns `error` if it has another cause. If there are several data sources, the error lists them.
pub(crate) async fn meant(
    io: Io<'_>,
    version: Version<'_>,
    id: &str,
    error: Error,
) -> Result<String> {
    let version = version.with_data_sources();
    if has_several_sources(&error) {
        let database = version.on(ApiRequest::get(["databases", id]));
        return match io.send(database).await {
            Ok(database) => only_source(&database.json()?)
                .map_err(|named| error.reclassify(named.kind(), named.message())),
            Err(_) => Err(error),
        };
    }
    if error.kind() == ErrorKind::ProductNotFound && io.send(get(version, id)).await.is_ok() {
        return Ok(id.to_owned());
    }
    Err(error)
}

fn rows_of(layer: &str, id: String) -> [String; 3] {
    [layer.to_owned(), id, String::from("query")]
}

/// The path segments for a query of the rows.
async fn rows(io: Io<'_>, version: Version<'_>, id: String) -> Result<[String; 3]> {
    if !version.has_data_sources() {
        return Ok(rows_of("databases", id));
    }
    Ok(match find(io, version, &id).await? {
        Found::Database(database) => rows_of("data_sources", only_source(&database)?),
        Found::DataSource(_) => rows_of("data_sources", id),
    })
}

/// The definition of a data source.
pub(crate) fn get(version: Version<'_>, id: &str) -> ApiRequest {
    version.on(ApiRequest::get(["data_sources", id]))
}

/// The id of the only data source. If there are several, choosing the first could mix up the user's data.
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
