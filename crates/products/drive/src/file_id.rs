//! Files, by id or link.

use stead_core::{Error, Result, error::Violation, tool::ApiRequest};
use stead_google::NamedFile;

/// A request for the file that `given` names, with the resource key of the link.
///
/// # Errors
/// Returns a violation at `/file_id` if it's neither an id nor a link to a file.
pub(crate) fn request(given: &str) -> Result<ApiRequest> {
    let Some(NamedFile { id, resource_key }) = stead_google::named_file(given, &["d", "folders"])
    else {
        let message = "expected the id of a file, or its link such as https://drive.google.com/file/d/ID/view; to find a file by name, use drive_search_files";
        return Err(Error::violations(vec![Violation::new(
            "/file_id", "format", message,
        )]));
    };
    let request = ApiRequest::get(["files", id]);
    Ok(match resource_key {
        Some(key) => request.header("x-goog-drive-resource-keys", format!("{id}/{key}")),
        None => request,
    })
}
