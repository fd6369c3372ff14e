//! What the methods that get people by their names share.

use serde_json::Value;

use super::{
    caller,
    person::{person, profile},
};
use crate::{
    google::{ApiError, Call, State},
    users,
};

/// Scopes of people.get and people.getBatchGet (discovery, `scopes`).
pub(super) const SCOPES: &[&str] = &[
    "https://www.googleapis.com/auth/contacts",
    "https://www.googleapis.com/auth/contacts.other.readonly",
    "https://www.googleapis.com/auth/contacts.readonly",
    "https://www.googleapis.com/auth/directory.readonly",
    "https://www.googleapis.com/auth/user.addresses.read",
    "https://www.googleapis.com/auth/user.birthday.read",
    "https://www.googleapis.com/auth/user.emails.read",
    "https://www.googleapis.com/auth/user.gender.read",
    "https://www.googleapis.com/auth/user.organization.read",
    "https://www.googleapis.com/auth/user.phonenumbers.read",
    "https://www.googleapis.com/auth/userinfo.email",
    "https://www.googleapis.com/auth/userinfo.profile",
];

/// The person of this name: `people/me`, the user's own number, or a contact. Contacts need a scope of theirs.
pub(super) fn find(
    state: &State,
    call: &Call,
    name: &str,
    fields: &[String],
) -> Result<Option<Value>, ApiError> {
    if !name.starts_with("people/") {
        return Err(ApiError::invalid(format!(
            "Resource name \"{name}\" must begin with people/."
        )));
    }
    let user = users::find(&call.user).ok_or_else(ApiError::not_found)?;
    if name == "people/me" || name.strip_prefix("people/") == Some(user.subject) {
        return Ok(Some(profile(user, fields)));
    }
    let reads_contacts = call.has_scope("contacts") || call.has_scope("contacts.readonly");
    let contacts = &caller(state, call)?.contacts;
    let found = contacts.iter().find(|one| one.resource_name == name);
    Ok(found
        .filter(|_| reads_contacts)
        .map(|found| person(found, fields)))
}
