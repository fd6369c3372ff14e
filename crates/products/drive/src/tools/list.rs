//! What the two searches share (Drive API, `files.list`).

use serde::Deserialize;
use stead_core::{
    Result,
    tool::{ApiRequest, Io, Output},
};

use crate::mask;

/// Files of a page where the caller names no number. The product would return all files of My Drive at once.
const DEFAULT_FILES: u32 = 100;

/// A list of files, before it is asked for.
#[derive(Debug)]
pub(super) struct List<'a> {
    /// Query of the product.
    pub(super) query: String,
    pub(super) fields: &'a Option<String>,
    pub(super) order_by: &'a Option<String>,
    pub(super) page_size: Option<u32>,
    pub(super) page_token: &'a Option<String>,
    pub(super) supports_all_drives: Option<bool>,
}

/// What is looked at of a `FileList`.
#[derive(Deserialize)]
struct Glance {
    #[serde(rename = "incompleteSearch")]
    incomplete: Option<bool>,
}

impl List<'_> {
    /// Asks for a page. Says so where the product did not look everywhere.
    pub(super) async fn send(&self, io: Io<'_>) -> Result<Output> {
        let answer = io.send(self.request()?).await?;
        let incomplete = answer.json::<Glance>()?.incomplete == Some(true);
        let output = Output::from(answer);
        if !incomplete {
            return Ok(output);
        }
        let message = "the product did not search all shared drives; make the query narrower to be sure that nothing is missing";
        Ok(output.warn("incomplete_search", message))
    }

    fn request(&self) -> Result<ApiRequest> {
        let mut request = ApiRequest::get(["files"])
            .query("q", &self.query)
            .query("fields", mask::of_list(self.fields)?)
            .query("orderBy", self.order_by)
            .query("pageSize", self.page_size.unwrap_or(DEFAULT_FILES))
            .query("pageToken", self.page_token);
        if self.supports_all_drives == Some(true) {
            // Three parameters for one wish: without any one of them, shared drives stay out.
            request = request
                .query("supportsAllDrives", true)
                .query("includeItemsFromAllDrives", true)
                .query("corpora", "allDrives");
        }
        Ok(request)
    }
}
