//! Requests that a connection has to allow.

use serde_json::Value;
use stead_core::product::{
    Guard, GuardedRequest, SentRequest,
    sent::{Unclear, member, object},
};

/// Kinds of requests that delete mails for good, or let others read them.
pub(crate) const GUARDS: &[Guard] = &[
    Guard::new(
        "delete_messages",
        "Deletes mails permanently, instead of moving them to the trash.",
        &[
            GuardedRequest::new("DELETE", "/gmail/v1/users/*/messages/*").when(deletes),
            GuardedRequest::new("DELETE", "/gmail/v1/users/*/threads/*"),
            GuardedRequest::new("POST", "/gmail/v1/users/*/messages/batchDelete"),
        ],
    ),
    Guard::new(
        "forward_mail",
        "Forwards mails to another address, now or with a filter.",
        &[
            GuardedRequest::new("POST", "/gmail/v1/users/*/settings/forwardingAddresses"),
            GuardedRequest::new(
                "PUT PATCH POST",
                "/gmail/v1/users/*/settings/autoForwarding",
            )
            .when_body(turns_on),
            GuardedRequest::new("POST", "/gmail/v1/users/*/settings/filters").when_body(forwards),
        ],
    ),
    Guard::new(
        "add_delegates",
        "Lets someone else read, send and delete the user's mails.",
        &[GuardedRequest::new(
            "POST",
            "/gmail/v1/users/*/settings/delegates",
        )],
    ),
];

/// Whether a request deletes a mail, and doesn't only cancel the upload of one.
fn deletes(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    Ok(!stead_google::cancels_upload(request)?)
}

/// Whether a setting turns forwarding on.
fn turns_on(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    let body = request.members()?;
    let enabled = member(&body, "enabled")?;
    Ok(enabled.is_some_and(|enabled| *enabled != Value::Bool(false)))
}

/// Whether a filter forwards mails.
fn forwards(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    let body = request.members()?;
    let Some(action) = object(&body, "action")? else {
        return Ok(false);
    };
    Ok(member(action, "forward")?.is_some_and(|address| address != ""))
}
