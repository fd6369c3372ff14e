//! "Retrieve a database": one database with its data sources, or with its columns in older versions.

use serde_json::Value;

use crate::workspace::{ALL, ApiError, Call, Capability, Method, State, shapes};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/databases/{database_id}",
    versions: ALL,
    needs: Some(Capability::ReadContent),
    query: &[],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let database = content
        .database(call.id(0))
        .filter(|database| call.can_see(content, &database.id));
    let database = database.ok_or_else(|| ApiError::not_found("database", call.id(0)))?;
    if !call.version.has_data_sources() && database.sources.len() > 1 {
        return Err(ApiError::several_sources(&database.id, &database.sources));
    }
    Ok(shapes::database(content, database, call.version))
}
