//! `/v1/tools`: the catalogue, and calls by name.

mod execute;
mod list;
mod read;
#[cfg(test)]
mod tests;

pub(super) use execute::execute;
pub(super) use list::list;
pub(super) use read::read;

use stead::core::schema::ExportFormat;

/// Words of the parameter `format`: a model vendor's envelope.
const FORMATS: &[(&str, ExportFormat)] = &[
    ("openai", ExportFormat::Openai),
    ("openai_strict", ExportFormat::OpenaiStrict),
    ("anthropic", ExportFormat::Anthropic),
    ("gemini", ExportFormat::Gemini),
    ("mcp", ExportFormat::Mcp),
];
