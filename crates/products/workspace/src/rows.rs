//! Rows of a query, with a warning where the product leaves some out.

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
    /// The rows: pages with a value for each column that was asked for.
    #[serde(default)]
    pub results: Vec<Page>,
    /// Where the next rows begin; `null` at the end.
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

/// Rows as they came. Past 10,000 rows the product ends a query as if that were all, and says so in a member of its
/// own (Notion API, "Query a data source", `request_status`). `can_go_on` says whether the caller can ask for the next.
pub(crate) fn rows(response: Response, can_go_on: bool) -> Result<Output> {
    let page: Listed = response.json()?;
    let is_cut = page
        .request_status
        .is_some_and(|status| status.kind == "incomplete");
    let output = cut::warned(Output::from(response), items_of(&page.results));
    if is_cut {
        return Ok(output.warn(
            "incomplete",
            "the product ends a query after 10,000 rows, and there are more; ask with another order to see them",
        ));
    }
    Ok(if page.has_more && can_go_on {
        more::warned(output)
    } else if page.has_more {
        output.warn(
            "more_rows",
            "these are the first 100 rows, and there are more; workspace_query_database returns all of them, page by page",
        )
    } else {
        output
    })
}
