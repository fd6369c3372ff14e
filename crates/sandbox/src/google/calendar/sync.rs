//! Tokens for what has changed since.

use jiff::{SignedDuration, Timestamp};

use crate::{
    google::{ApiError, Call},
    ids,
};

/// Changes are remembered for this many hours; Google says only that a token dies, and that `updatedMin`
/// reaches about thirty days back.
const HOURS: i64 = 30 * 24;

/// A token for this moment, bound to the user and what was listed.
pub(super) fn sync_token(call: &Call, listed: &str, now: Timestamp) -> String {
    ids::seal(
        "calendar sync",
        &format!("{}|{}|{listed}", now.as_second(), call.user),
    )
}

/// The moment of the call's token.
pub(super) fn synced_at(
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
    if is_too_old(since, now) {
        let message = "Sync token is no longer valid, a full sync is required.";
        return Err(ApiError::of(410, "fullSyncRequired", message));
    }
    Ok(Some(since))
}

/// Whether a moment is so far back that changes since are no longer known.
pub(super) fn is_too_old(since: Timestamp, now: Timestamp) -> bool {
    now.duration_since(since) > SignedDuration::from_hours(HOURS)
}
