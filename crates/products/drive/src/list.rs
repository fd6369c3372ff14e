//! What the two searches share (Drive API, `files.list`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result,
    tool::{ApiRequest, Io, Output},
};

use crate::File;

/// Files of a page where the caller names no number. The product would return all files of My Drive at once.
const DEFAULT_FILES: u32 = 100;

/// A list of files, before it is asked for.
#[derive(Debug)]
pub(crate) struct List<'a> {
    /// Query of the product.
    pub(crate) query: String,
    /// Mask of the list's fields.
    pub(crate) mask: String,
    pub(crate) order_by: Option<String>,
    pub(crate) page_size: Option<u32>,
    pub(crate) page_token: &'a Option<String>,
    pub(crate) supports_all_drives: Option<bool>,
}

/// A page of files (Drive API, `FileList`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Files {
    /// The files; absent where `fields` names others of the list's members.
    #[serde(default)]
    pub files: Vec<File>,
    /// Token of the next page; absent on the last one.
    pub next_page_token: Option<String>,
    /// Whether the product could not search all shared drives.
    pub incomplete_search: Option<bool>,
}

/// What is read of a `FileList`.
#[derive(Deserialize)]
struct FileList {
    #[serde(rename = "incompleteSearch")]
    incomplete: Option<bool>,
}

impl List<'_> {
    /// Asks for a page. Says so where the product did not look everywhere.
    pub(crate) async fn send(&self, io: Io<'_>) -> Result<Output> {
        let response = io.send(self.request()).await?;
        let incomplete = response.json::<FileList>()?.incomplete == Some(true);
        let output = Output::from(response);
        if !incomplete {
            return Ok(output);
        }
        let message = "the product did not search all shared drives; make the query narrower to be sure that nothing is missing";
        Ok(output.warn("incomplete_search", message))
    }

    fn request(&self) -> ApiRequest {
        let mut request = ApiRequest::get(["files"])
            .query("q", &self.query)
            .query("fields", &self.mask)
            .query("orderBy", &self.order_by)
            .query("pageSize", self.page_size.unwrap_or(DEFAULT_FILES))
            .query("pageToken", self.page_token);
        if self.supports_all_drives == Some(true) {
            // Three parameters for one wish: without any one of them, shared drives stay out.
            request = request
                .query("supportsAllDrives", true)
                .query("includeItemsFromAllDrives", true)
                .query("corpora", "allDrives");
        }
        request
    }
}
