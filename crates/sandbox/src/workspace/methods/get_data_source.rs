//! "Retrieve a data source": one data source with its columns.

use serde_json::Value;

use crate::workspace::{ApiError, Call, Capability, Method, State, Version, shapes};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/data_sources/{data_source_id}",
    versions: (Version::DataSources, Version::InTrash),
    needs: Some(Capability::ReadContent),
    query: &[],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let source = content
        .source(call.id(0))
        .filter(|source| call.can_see(content, &source.id));
    let source = source.ok_or_else(|| ApiError::not_found("data source", call.id(0)))?;
    Ok(shapes::source(content, source, call.version))
}
