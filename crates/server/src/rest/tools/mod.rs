//! `/v1/tools`: the catalogue, and calls by name.

pub(super) mod execute;
mod list;
mod read;
#[cfg(test)]
mod tests;

pub(super) use execute::execute;
pub(super) use list::{DETAIL, FORMAT, QUERY as FILTER, describe, list};
pub(super) use read::{QUERY as VERSION, describe as describe_one, read};

use serde_json::{Value, json};

/// An example of a tool for the document. Real schemas are longer.
fn example() -> Value {
    json!({
        "name": "mail_fetch_mails", "product": "mail", "tool_version": "2026-11-21", "schema_version": "2026-11-21",
        "effect": "read", "scopes": ["https://www.googleapis.com/auth/gmail.readonly"],
        "description": "Find mails with the product's search and return them, newest first, with their content.",
        "input_schema": {
            "type": "object", "properties": { "query": { "type": "string" } }, "additionalProperties": false,
        },
        "output_schema": { "type": "object", "properties": { "messages": { "type": "array" } } },
    })
}
