//! Tokens for what has changed since.

use jiff::{SignedDuration, Timestamp};

use crate::{
    google::{errors::ApiError, method::Call},
    ids,
};

/// Changes are remembered for so many hours; Google tells only that a token dies, and that `updatedMin`
/// reaches about thirty days back.
const HOURS: i64 = 30 * 24;

/// A token for this moment, bound to the user and what was listed.
pub(super) fn token(call: &Call, listed: &str, now: Timestamp) -> String {
    ids::seal(
        "calendar sync",
        &format!("{}|{}|{listed}", now.as_second(), call.user),
    )
}

/// The moment that the call's token stands for.
pub(super) fn since(
    call: &Call,
    listed: &str,
    now: Timestamp,
) -> Result<Option<Timestamp>, ApiError> {
    let Some(token) = call.text("syncToken") else {
        return Ok(None);
    };
    let invalid = || ApiError::of(400, "invalid", "Invalid sync token value.");
    let text = ids::open("calendar sync", token).ok_or_else(invalid)?;
    let (second, bound) = text.split_once('|').ok_or_else(invalid)?;
    if bound != format!("{}|{listed}", call.user) {
        return Err(invalid());
    }
    let since = second
        .parse()
        .ok()
        .and_then(|second| Timestamp::from_second(second).ok())
        .ok_or_else(invalid)?;
    if is_forgotten(since, now) {
        let message = "Sync token is no longer valid, a full sync is required.";
        return Err(ApiError::of(410, "fullSyncRequired", message));
    }
    Ok(Some(since))
}

/// Whether a moment lies so far back that changes since are no longer known.
pub(super) fn is_forgotten(since: Timestamp, now: Timestamp) -> bool {
    now.duration_since(since) > SignedDuration::from_hours(HOURS)
}
