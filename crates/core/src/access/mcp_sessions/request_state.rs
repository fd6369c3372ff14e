//! State that the client of an MCP session carries from one attempt of a call to the next.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::own;
use crate::{
    Error, ErrorKind, Result, context::Context, identifier::AuthorizationId, sealed::place,
};

/// Lifetime of the state.
const LIFE: SignedDuration = SignedDuration::from_mins(15);

/// The link that the user was shown, and the call that needed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RequestState {
    /// The authorization with the link that was shown.
    pub authorization_id: AuthorizationId,
    /// Digest of the tool and its arguments.
    pub call: String,
    /// When the state expires.
    expires_at: Timestamp,
}

/// Encrypts the state for the caller's session. No other session can decrypt it, and the client can't read it.
pub(crate) fn seal_state(
    context: &Context,
    authorization_id: AuthorizationId,
    call: String,
) -> Result<String> {
    let now = context.host.now();
    let state = RequestState {
        authorization_id,
        call,
        expires_at: now.checked_add(LIFE).unwrap_or(Timestamp::MAX),
    };
    let place = place::RequestState(own(context)?.session_id);
    context.store.vault.seal_text(&place, &state)
}

/// Decrypts the state of the caller's session. Rejects a state that was changed, belongs to another session or has
/// expired.
pub(crate) async fn open_state(context: &Context, sealed: &str) -> Result<RequestState> {
    let refused = || {
        let message = "the request state belongs to a different session or has expired; call again without it";
        Error::new(ErrorKind::InvalidRequest, message)
    };
    let place = place::RequestState(own(context)?.session_id);
    let state: Option<RequestState> = context.store.vault.open_text(&place, sealed).await?;
    let state = state.filter(|state| state.expires_at > context.host.now());
    state.ok_or_else(refused)
}
