//! Starts a session of an authenticated member.

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};

use super::StartedSession;
use crate::{
    context::{Context, change::Change},
    digest::Digest,
    domain::{Member, Session},
};

/// A session that is about to start. It always has a new ID, whatever the browser had before.
pub(in crate::access) struct Opening {
    id: SecretString,
    digest: Digest,
    now: Timestamp,
}

impl Opening {
    pub(in crate::access) fn new(context: &Context) -> Self {
        let id = context.host.new_secret("stead_session_");
        let digest = Digest::of(id.expose_secret());
        let now = context.host.now();
        Self { id, digest, now }
    }

    /// Adds the session to a change that replaces the member's row of this version by `after`. A session that still
    /// needs a one-time code isn't a sign-in yet.
    pub(in crate::access) fn change(
        &self,
        change: Change,
        after: &Member,
        version: u64,
        session: impl FnOnce(Digest, &Member, Timestamp) -> Session,
    ) -> (Change, StartedSession) {
        let session = session(self.digest.clone(), after, self.now);
        let method = session.method();
        let started = StartedSession {
            id: self.id.clone(),
            awaits_code: session.awaits_code,
        };
        let change = change.insert(session);
        if started.awaits_code {
            return (change.update(after.clone(), version), started);
        }
        let after = after.signed_in(self.now);
        let change = change
            .event(after.event("member.signed_in"))
            .audit(after.audit("member.signed_in").fact("method", method))
            .update(after, version);
        (change, started)
    }
}
