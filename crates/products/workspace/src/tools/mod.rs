//! The tools, one per file.

mod create_comment;
mod create_database;
mod create_page;
mod fetch_database;
mod get_comment;
mod insert_database_row;
mod list_comments;
mod query_database;
mod query_database_properties;
mod search;

mod page_parent;

use serde::Deserialize;
use stead_core::{
    Result,
    tool::{Output, Response},
};

pub use create_comment::{Comment, CreateComment};
pub use create_database::CreateDatabase;
pub use create_page::CreatePage;
pub use fetch_database::FetchDatabase;
pub use get_comment::GetComment;
pub use insert_database_row::InsertDatabaseRow;
pub use list_comments::ListComments;
pub use page_parent::PageParent;
pub use query_database::QueryDatabase;
pub use query_database_properties::QueryDatabaseProperties;
pub use search::Search;

/// Rows as they came. Past 10,000 rows the product ends a query as if that were all, and says so in a member of its
/// own (Notion API, "Query a data source", `request_status`).
fn rows(answer: Response) -> Result<Output> {
    #[derive(Deserialize)]
    struct Page {
        request_status: Option<Status>,
    }
    #[derive(Deserialize)]
    struct Status {
        #[serde(rename = "type")]
        kind: String,
    }
    let page: Page = answer.json()?;
    let is_cut = page
        .request_status
        .is_some_and(|status| status.kind == "incomplete");
    let output = Output::from(answer);
    Ok(if is_cut {
        output.warn(
            "incomplete",
            "the product ends a query after 10,000 rows, and there are more; ask with another order to see them",
        )
    } else {
        output
    })
}
