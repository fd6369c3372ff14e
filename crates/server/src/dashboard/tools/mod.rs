//! The catalogue of tools.

mod list;
mod parameters;
mod read;

use stead_core::{catalogue::Catalogue, schema::ExportFormat};

use super::{
    session::Role,
    table::{PageRoute, page},
};
use crate::problem::Result;

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("tools/list.html", include_str!("list.html")),
    ("tools/read.html", include_str!("read.html")),
];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page("/dashboard/tools", Role::Viewer, list::list),
        page("/dashboard/tools/{name}", Role::Viewer, read::read),
    ]
}

/// An estimate of a tool's tokens in OpenAI's format: bytes divided by four.
fn tokens(catalogue: &Catalogue, name: &str) -> Result<u64> {
    let tool = catalogue.find(name, None, None)?;
    let exported = tool.export(ExportFormat::Openai)?;
    Ok(exported.to_string().len().div_ceil(4) as u64)
}
