//! Rows of a query, with a warning if some are missing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stead_core::{
    Result,
    tool::{Output, Response, items_of},
};

use crate::{Page, cut, more};

/// A page of a database's rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Rows {
    /// The rows: pages with a value for each requested column.
    #[serde(default)]
    pub results: Vec<Page>,
    /// Cursor for the next rows; `null` at the end.
    pub next_cursor: Option<String>,
    /// Whether there are more rows.
    #[serde(default)]
    pub has_more: bool,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    results: Value,
    request_status: Option<Status>,
    #[serde(default)]
    has_more: bool,
}

#[derive(Deserialize)]
struct Status {
    #[serde(rename = "type")]
    kind: String,
}

/// Rows unchanged, with warnings. After 10,000 rows the product ends a query like a complete one, and only `request_status`
/// tells (Notion API, "Query a data source"). `can_go_on` tells whether the caller can request more.
pub(crate) fn rows(response: Response, can_go_on: bool) -> Result<Output> {
    let page: Listed = response.json()?;
    let is_cut = page
        .request_status
        .is_some_and(|status| status.kind == "incomplete");
    let output = cut::warned(Output::from(response), items_of(&page.results));
    if is_cut {
        return Ok(output.warn(
            "incomplete",
            "the product returns at most 10,000 rows of a query, and there are more; use another sort order to see them",
        ));
    }
    Ok(if page.has_more && can_go_on {
        more::warned(output)
    } else if page.has_more {
        output.warn(
            "more_rows",
            "these are the first 100 rows, and there are more; to read all, use workspace_query_database",
        )
    } else {
        output
    })
}
