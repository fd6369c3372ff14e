//! A call with an idempotency key, from its start until its key can be used again.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Extra;
use crate::{
    digest::Digest,
    identifier::{AccountId, ExecutionId},
    sealed::{Sealed, place},
};

/// How long Stead keeps an outcome, from the call's start.
const KEPT: SignedDuration = SignedDuration::from_hours(24);
/// Maximum duration of a call. An older call without an outcome was interrupted.
const LONGEST: SignedDuration = SignedDuration::from_mins(15);

/// A call that can change something, and that runs once per key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeyedCall {
    /// Digest of the caller, the route and the key; primary key.
    pub(crate) key: Digest,
    /// Digest of the request.
    pub(crate) request: Digest,
    /// The process that runs the call.
    pub(crate) process: Uuid,
    /// The call.
    pub(crate) execution_id: ExecutionId,
    /// Its account. Erasing the account also erases this row.
    pub(crate) account_id: AccountId,
    /// Whether it has ended.
    pub(crate) ended: bool,
    /// Its outcome, if Stead keeps it.
    pub(crate) outcome: Option<Sealed<place::Outcome>>,
    /// Identity that a retry has to share, so that the product recognizes it. `None` if the product doesn't
    /// deduplicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) repeat: Option<Uuid>,
    /// When it started.
    pub(crate) started_at: Timestamp,
    /// When the key can be used again.
    pub(crate) expires_at: Timestamp,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl KeyedCall {
    /// A call that starts now.
    pub(crate) fn started(
        key: Digest,
        request: Digest,
        process: Uuid,
        (execution_id, account_id): (ExecutionId, AccountId),
        repeat: Option<Uuid>,
        now: Timestamp,
    ) -> Self {
        Self {
            key,
            request,
            process,
            execution_id,
            account_id,
            ended: false,
            outcome: None,
            repeat,
            started_at: now,
            expires_at: now.checked_add(KEPT).unwrap_or(Timestamp::MAX),
            extra: Extra::default(),
        }
    }

    /// After the call has ended.
    pub(crate) fn with_outcome(self, outcome: Option<Sealed<place::Outcome>>) -> Self {
        Self {
            ended: true,
            outcome,
            ..self
        }
    }

    /// Whether its key can be used again.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        self.expires_at <= now
    }

    /// Whether it started but can't be running any more.
    pub(crate) fn is_cut_off(&self, now: Timestamp) -> bool {
        !self.ended && now.duration_since(self.started_at) > LONGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{START, account};

    #[test]
    fn a_call_counts_as_interrupted_after_a_while_and_its_key_expires_after_a_day() {
        let account = account(1, "ada").id;
        let execution = ExecutionId::from_uuid(Uuid::from_u128(1));
        let call = KeyedCall::started(
            Digest::of("key"),
            Digest::of("request"),
            Uuid::from_u128(2),
            (execution, account),
            None,
            START,
        );
        let ended = call.clone().with_outcome(None);
        let instant = SignedDuration::from_nanos(1);
        for (after, cut_off, over) in [
            (SignedDuration::ZERO, false, false),
            (LONGEST, false, false),
            (LONGEST + instant, true, false),
            (KEPT - instant, true, false),
            (KEPT, true, true),
        ] {
            let now = START + after;
            assert_eq!(
                (call.is_cut_off(now), call.is_over(now)),
                (cut_off, over),
                "{after}"
            );
            assert_eq!((ended.is_cut_off(now), ended.is_over(now)), (false, over));
        }
    }
}
