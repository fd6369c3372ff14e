//! Rows of a query, with a warning where the product leaves some out.

use serde::Deserialize;
use stead_core::{
    Result,
    tool::{Output, Response},
};

#[derive(Deserialize)]
struct Page {
    request_status: Option<Status>,
}

#[derive(Deserialize)]
struct Status {
    #[serde(rename = "type")]
    kind: String,
}

/// Rows as they came. Past 10,000 rows the product ends a query as if that were all, and says so in a member of its
/// own (Notion API, "Query a data source", `request_status`).
pub(crate) fn rows(response: Response) -> Result<Output> {
    let page: Page = response.json()?;
    let is_cut = page
        .request_status
        .is_some_and(|status| status.kind == "incomplete");
    let output = Output::from(response);
    Ok(if is_cut {
        output.warn(
            "incomplete",
            "the product ends a query after 10,000 rows, and there are more; ask with another order to see them",
        )
    } else {
        output
    })
}
