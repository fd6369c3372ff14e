//! `GET /v1/tools/{name}?tool_version=&schema_version=&format=&detail=`: one tool, by default in its newest version.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead::Error;
use stead_core::{
    resource::ToolDescription,
    schema::{Detail, ExportFormat},
};

use super::{DETAIL, FORMAT};
use crate::{
    extract::{Acting, Json, Path, Query},
    openapi::{Draft, Parameter, text},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[
    text(
        "tool_version",
        "Version of the tool, a date. Defaults to the newest.",
    ),
    text(
        "schema_version",
        "Version of the schema, which is the same date.",
    ),
    FORMAT,
    DETAIL,
];

/// A tool: described, or in the envelope of a model vendor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(example = super::example())]
#[serde(untagged)]
#[schemars(rename = "OneTool")]
pub(in crate::rest) enum Tool {
    /// Described.
    Described(Box<ToolDescription>),
    /// In the envelope of a model vendor.
    Exported(Value),
}

/// The document's description of the route.
pub(in crate::rest) fn describe(draft: &mut Draft<'_>) {
    draft.gives::<Tool>(200);
}

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(name): Path<String>,
    mut query: Query,
) -> Result<Json<Tool>> {
    let (schema_version, tool_version) =
        (query.text("schema_version")?, query.text("tool_version")?);
    let format = query.one_of("format", ExportFormat::NAMES)?;
    let detail = query.one_of("detail", Detail::NAMES)?;
    query.end()?;
    if format.is_none() && detail.is_some() {
        return Err(Error::invalid_at("/detail", "works only together with `format`").into());
    }
    let tool =
        environment
            .catalogue()
            .find(&name, schema_version.as_deref(), tool_version.as_deref())?;
    Ok(Json(match format {
        None => Tool::Described(Box::new(ToolDescription::of(tool)?)),
        Some(format) => Tool::Exported(tool.export_with(format, detail.unwrap_or_default())?.tool),
    }))
}
