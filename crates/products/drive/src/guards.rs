//! Requests that a connection has to allow.

use serde_json::Value;
use stead_core::product::{
    Guard, GuardedRequest, SentRequest,
    sent::{Unclear, member, text},
};

/// Kinds of requests that delete files for good, or give them away.
pub(crate) const GUARDS: &[Guard] = &[
    Guard::new(
        "empty_trash",
        "Deletes all files in the trash permanently.",
        &[GuardedRequest::new("DELETE", "/drive/v3/files/trash")],
    ),
    Guard::new(
        "delete_files",
        "Deletes files permanently, instead of moving them to the trash.",
        &[
            GuardedRequest::new("DELETE", "/drive/v3/files/*").when(deletes),
            GuardedRequest::new("DELETE", "/drive/v3/drives/*").when(deletes_items),
            GuardedRequest::new("DELETE", "/drive/v3/teamdrives/*").when(deletes_items),
        ],
    ),
    Guard::new(
        "transfer_ownership",
        "Makes someone else the owner of a file.",
        &[
            GuardedRequest::new("POST PUT PATCH", "/drive/v3/files/*/permissions")
                .when_body(transfers),
            GuardedRequest::new("POST PUT PATCH", "/drive/v3/files/*/permissions/*")
                .when_body(transfers),
        ],
    ),
];

/// Whether a request deletes a file, and doesn't only cancel an upload.
fn deletes(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    Ok(!stead_google::cancels_upload(request)?)
}

/// Whether the files of a shared drive are deleted with it.
fn deletes_items(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    is_on(request, "allowItemDeletion")
}

/// Whether a permission makes someone the owner, or asks them to become it.
fn transfers(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    if is_on(request, "transferOwnership")? {
        return Ok(true);
    }
    let body = request.members()?;
    let is_owner =
        text(&body, "role")?.is_some_and(|role| role.trim().eq_ignore_ascii_case("owner"));
    let is_pending = member(&body, "pendingOwner")?;
    Ok(is_owner || is_pending.is_some_and(|pending| *pending != Value::Bool(false)))
}

/// Whether a query parameter is there and not `false`.
fn is_on(request: &SentRequest<'_>, name: &str) -> Result<bool, Unclear> {
    let values = request.query_values(name)?;
    Ok(values.iter().any(|value| value != "false"))
}
