//! `GET /v1/tools?product=&effect=&connection_name=&identifier=&format=`: the newest version of every tool, by name;
//! several products are separated by commas. With an identifier each
//! says whether that user can call it; with a format each is in that model vendor's envelope.
//! One page holds them all.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use stead::core::{
    resource::{Page, ToolDescription, ToolFilter},
    schema::ExportFormat,
    tool::Effect,
};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, list as list_of, one_of, text},
    problem::Result,
};

const EFFECTS: &[(&str, Effect)] = &[
    (Effect::Read.name(), Effect::Read),
    (Effect::Write.name(), Effect::Write),
    (Effect::Delete.name(), Effect::Delete),
];

pub(in crate::rest) const QUERY: &[Parameter] = &[
    list_of("product", "Only those of these products."),
    one_of("effect", "Only those with this effect.", || {
        EFFECTS.iter().map(|(name, _)| *name).collect()
    }),
    text(
        "connection_name",
        "Only those of this connection's product.",
    ),
    text(
        "identifier",
        "Adds whether this user can call each tool; not together with `format`.",
    ),
    FORMAT,
];

/// The shape of a tool's description.
pub(in crate::rest) const FORMAT: Parameter = one_of(
    "format",
    "In the shape that a model vendor's API takes.",
    || ExportFormat::NAMES.iter().map(|(name, _)| *name).collect(),
);

/// The tools: described, or each in the envelope of a model vendor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(example = json!({ "items": [super::example()] }))]
#[serde(untagged)]
#[schemars(rename = "ToolList")]
pub(in crate::rest) enum Tools {
    /// Described.
    Described(Page<ToolDescription>),
    /// In the envelope of a model vendor.
    Exported(Page<Value>),
}

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Tools>> {
    let mut filter = ToolFilter::default();
    filter.products = query.list("product")?;
    filter.effect = query.one_of("effect", EFFECTS)?;
    filter.connection_name = query.text("connection_name")?;
    filter.identifier = query.text("identifier")?;
    let format = query.one_of("format", ExportFormat::NAMES)?;
    query.end()?;
    Ok(Json(match format {
        None => Tools::Described(Page::new(environment.tools(filter).await?, None)),
        Some(format) => {
            let tools = environment.exported_tools(&filter, format).await?;
            Tools::Exported(Page::new(tools, None))
        }
    }))
}
