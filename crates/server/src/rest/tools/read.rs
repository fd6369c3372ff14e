//! `GET /v1/tools/{name}?tool_version=&schema_version=&format=`: one tool, the newest version where none is asked for.

use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use stead::core::{environment::Environment, resource::ToolDescription, schema::ExportFormat};

use crate::{
    extract::{Json, Path, Query},
    problem::Result,
};

pub(in crate::rest) async fn read(
    State(environment): State<Environment>,
    Path(name): Path<String>,
    mut query: Query,
) -> Result<Response> {
    let (schema_version, tool_version) =
        (query.text("schema_version")?, query.text("tool_version")?);
    let format = query.one_of("format", ExportFormat::NAMES)?;
    query.end()?;
    let tool =
        environment
            .catalogue()
            .find(&name, schema_version.as_deref(), tool_version.as_deref())?;
    Ok(match format {
        None => Json(ToolDescription::of(tool)?).into_response(),
        Some(format) => Json(tool.export(format)?).into_response(),
    })
}
