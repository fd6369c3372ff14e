use axum::extract::State;
use http::StatusCode;
use stead::core::{environment::Environment, resource::ToolDescription};

use super::FORMATS;
use crate::{
    authentication::Authenticated,
    extract::{Path, Query},
    problem::Answer,
    rest::json,
};

/// `GET /v1/tools/{name}?tool_version=&schema_version=&format=`: one tool, the newest version where none is asked for.
pub(in crate::rest) async fn read(
    _: Authenticated,
    State(environment): State<Environment>,
    Path(name): Path<String>,
    mut query: Query,
) -> Answer {
    let (schema_version, tool_version) =
        (query.text("schema_version")?, query.text("tool_version")?);
    let format = query.one_of("format", FORMATS)?;
    query.end()?;
    let tool =
        environment
            .catalogue()
            .find(&name, schema_version.as_deref(), tool_version.as_deref())?;
    match format {
        None => json(StatusCode::OK, &ToolDescription::of(tool)?),
        Some(format) => json(StatusCode::OK, &tool.export(format)?),
    }
}
