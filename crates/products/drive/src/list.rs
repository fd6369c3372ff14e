//! Shared by the two searches (Drive API, `files.list`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result,
    tool::{ApiRequest, Io, Output},
};

use crate::File;

/// Default page size. Without one, the product returns all files of My Drive in one page.
const DEFAULT_FILES: u32 = 100;

/// A list request.
#[derive(Debug)]
pub(crate) struct List<'a> {
    /// Query in the product's language.
    pub(crate) query: String,
    /// Field mask for the list.
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
    /// The files; absent if `fields` names only other members of the list.
    #[serde(default)]
    pub files: Vec<File>,
    /// Token of the next page; absent on the last page.
    pub next_page_token: Option<String>,
    /// Whether the product couldn't search all shared drives.
    pub incomplete_search: Option<bool>,
}

/// The members of a `FileList` that are read.
#[derive(Deserialize)]
struct FileList {
    #[serde(rename = "incompleteSearch")]
    incomplete: Option<bool>,
}

impl List<'_> {
    /// Requests a page. Adds a warning if the product didn't search everywhere.
    pub(crate) async fn send(&self, io: Io<'_>) -> Result<Output> {
        let response = io.send(self.request()).await?;
        let incomplete = response.json::<FileList>()?.incomplete == Some(true);
        let output = Output::from(response);
        if !incomplete {
            return Ok(output);
        }
        let message = "the product didn't search all shared drives, so files may be missing; use a narrower query";
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
            // Shared drives are only included with all three parameters.
            request = request
                .query("supportsAllDrives", true)
                .query("includeItemsFromAllDrives", true)
                .query("corpora", "allDrives");
        }
        request
    }
}
