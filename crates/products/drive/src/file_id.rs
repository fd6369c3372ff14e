//! Files, by id or link.

use stead_core::{Error, Result, error::Violation, tool::ApiRequest};
use stead_google::NamedFile;

/// A request for the file that `given` names, with the resource key of the link.
///
/// # Errors
/// Returns a violation at `/file_id` if it's neither an id nor a link to a file.
pub(crate) fn request(given: &str) -> Result<ApiRequest> {
    let Some(file) = stead_google::named_file(given, &["d", "folders"]) else {
        let message = "expected the id of a file, or its link such as https://drive.google.com/file/d/ID/view; to find a file by name, use drive_search_files";
        return Err(Error::violations(vec![Violation::new(
            "/file_id", "format", message,
        )]));
    };
    Ok(with_key(ApiRequest::get(["files", file.id]), file))
}

/// The folder that `given` names.
///
/// # Errors
/// Returns a violation at `/parent_folder_id` if it's neither an id nor a link to a folder.
pub(crate) fn folder(given: &str) -> Result<NamedFile<'_>> {
    stead_google::named_file(given, &["folders"]).ok_or_else(|| {
        let message = "expected the id of a folder, or its link such as https://drive.google.com/drive/folders/ID";
        Error::violations(vec![Violation::new("/parent_folder_id", "format", message)])
    })
}

/// Adds the resource key of the link to a request that names the file.
pub(crate) fn with_key(request: ApiRequest, file: NamedFile<'_>) -> ApiRequest {
    match file.resource_key {
        Some(key) => request.header("x-goog-drive-resource-keys", format!("{}/{key}", file.id)),
        None => request,
    }
}
