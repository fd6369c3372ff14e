//! `GET /v1/tools?product=&effect=&connection_name=&tool_set=&identifier=&format=&detail=&mode=`: the newest version of
//! every tool, by name, on one page. Commas separate several products. With an identifier, each tool says whether that
//! user can call it. With a format, each is in that model vendor's format. The mode `search` returns three tools that
//! replace all others.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use stead::Error;
use stead_core::{
    resource::{ExportedTools, Page, ToolDescription, ToolFilter},
    schema::{Detail, ExportFormat},
    tool::Effect,
};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Draft, Parameter, list as list_of, one_of, text},
    problem::Result,
};

const EFFECTS: &[(&str, Effect)] = &[
    (Effect::Read.name(), Effect::Read),
    (Effect::Write.name(), Effect::Write),
    (Effect::Delete.name(), Effect::Delete),
];

pub(in crate::rest) const QUERY: &[Parameter] = &[
    list_of("product", "Only tools of these products."),
    one_of("effect", "Only tools with this effect.", || {
        EFFECTS.iter().map(|(name, _)| *name).collect()
    }),
    text(
        "connection_name",
        "Only tools of this connection's product.",
    ),
    text(
        "tool_set",
        "Only tools of this set: `core`, `read`, a product, or one of the operator's own.",
    ),
    text(
        "identifier",
        "Also returns whether this user can call each tool. Can't be combined with `format`.",
    ),
    FORMAT,
    DETAIL,
    one_of(
        "mode",
        "With `format`: `search` returns three tools (search, describe, execute) that give access to all others.",
        || MODES.iter().map(|(name, _)| *name).collect(),
    ),
];

/// Which tools to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    All,
    Search,
}

const MODES: &[(&str, Mode)] = &[("all", Mode::All), ("search", Mode::Search)];

/// How detailed exported tools are.
pub(in crate::rest) const DETAIL: Parameter = one_of(
    "detail",
    "With `format`: `compact` uses about half of the tokens.",
    || Detail::NAMES.iter().map(|(name, _)| *name).collect(),
);

/// The format of a tool's description.
pub(in crate::rest) const FORMAT: Parameter = one_of(
    "format",
    "Returns tools in the format of this model vendor's API.",
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
    Exported(ExportedTools),
}

/// The document's description of the route.
pub(in crate::rest) fn describe(draft: &mut Draft<'_>) {
    draft.gives::<Tools>(200);
}

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Tools>> {
    let mut filter = ToolFilter::default();
    filter.products = query.list("product")?;
    filter.effect = query.one_of("effect", EFFECTS)?;
    filter.connection_name = query.text("connection_name")?;
    filter.tool_set = query.text("tool_set")?;
    filter.identifier = query.text("identifier")?;
    let format = query.one_of("format", ExportFormat::NAMES)?;
    let detail = query.one_of("detail", Detail::NAMES)?;
    let mode = query.one_of("mode", MODES)?;
    query.end()?;
    let Some(format) = format else {
        for (name, given) in [("/detail", detail.is_some()), ("/mode", mode.is_some())] {
            if given {
                return Err(Error::invalid_at(name, "works only together with `format`").into());
            }
        }
        let tools = environment.tools(filter).await?;
        return Ok(Json(Tools::Described(Page::new(tools, None))));
    };
    filter.detail = detail.unwrap_or_default();
    Ok(Json(Tools::Exported(match mode {
        Some(Mode::Search) => environment.meta_tools(format)?,
        _ => environment.export_tools(&filter, format).await?,
    })))
}
