//! A webhook: an application's URL that gets events, the progress of its deliveries, and the pending ones.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Extra, NewAudit};
use crate::{
    identifier::WebhookId,
    sealed::{Sealed, place},
};
pub(crate) use crate::{
    resource::webhook::{WebhookDeliveryRow as Delivery, WebhookRow as Webhook},
    state::DeliveryState,
};

/// How long the previous secret also signs after a rotation.
const BOTH_SIGN: SignedDuration = SignedDuration::from_hours(24);
/// Time without any success after which Stead disables a webhook.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(5 * 24);
/// How long a process holds a webhook's delivery queue: longer than one round of sending and its commit.
const LEASE: SignedDuration = SignedDuration::from_secs(150);
/// Seconds before the next attempt after each failure. After the last one, the delivery has failed. About 75 hours in
/// total.
const PAUSES: [i64; 9] = [
    5,
    5 * 60,
    30 * 60,
    2 * 3600,
    5 * 3600,
    10 * 3600,
    14 * 3600,
    20 * 3600,
    24 * 3600,
];
/// Longest pause that Stead accepts from an endpoint.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(24);

/// A secret that signs deliveries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SigningSecret {
    /// Its number, which its encryption is bound to.
    pub(crate) generation: u64,
    pub(crate) sealed: Sealed<place::WebhookSecret>,
    /// Until when it signs, if it was replaced.
    pub(crate) until: Option<Timestamp>,
}

impl Webhook {
    /// The secrets that sign at this time.
    pub(crate) fn signing(&self, now: Timestamp) -> impl Iterator<Item = &SigningSecret> {
        let signs = move |secret: &&SigningSecret| secret.until.is_none_or(|until| now < until);
        self.secrets.iter().filter(signs)
    }

    /// The number of the next secret.
    pub(crate) fn next_generation(&self) -> u64 {
        let newest = self.secrets.iter().map(|secret| secret.generation).max();
        newest.unwrap_or(0) + 1
    }

    /// With a new secret. The previous one also signs for a day.
    pub(crate) fn rotated(&self, sealed: Sealed<place::WebhookSecret>, now: Timestamp) -> Self {
        let until = now.checked_add(BOTH_SIGN).unwrap_or(Timestamp::MAX);
        let generation = self.next_generation();
        let before = self.secrets.first().cloned();
        let before = before.map(|secret| SigningSecret {
            until: Some(until),
            ..secret
        });
        let newest = SigningSecret {
            generation,
            sealed,
            until: None,
        };
        Self {
            secrets: std::iter::once(newest).chain(before).collect(),
            updated_at: now,
            ..self.clone()
        }
    }

    /// An audit entry about it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "webhook", self.id)
    }
}

/// Progress of a webhook's deliveries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lane {
    /// Its webhook; primary key.
    pub(crate) webhook_id: WebhookId,
    /// Position in the feed. Every event up to it was delivered or is pending as a row.
    pub(crate) position: i64,
    /// When the current series of failures began.
    pub(crate) failing_since: Option<Timestamp>,
    /// The process that sends. No other process sends before the holder's time is over.
    pub(crate) holder: Option<Holder>,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// The process that holds a delivery queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Holder {
    pub(crate) process: String,
    pub(crate) until: Timestamp,
}

impl Lane {
    /// The queue, held by this process. `None` if another process holds it and hasn't `ended`. `now` is the store's
    /// time.
    pub(crate) fn claimed(&self, process: &str, now: Timestamp, ended: bool) -> Option<Self> {
        let free = self
            .holder
            .as_ref()
            .is_none_or(|holder| ended || holder.process == process || holder.until < now);
        free.then(|| Self {
            holder: Some(Holder {
                process: process.to_owned(),
                until: now.checked_add(LEASE).unwrap_or(Timestamp::MAX),
            }),
            ..self.clone()
        })
    }

    /// Whether everything has failed for so long that Stead disables the webhook.
    pub(crate) fn is_given_up(&self, now: Timestamp) -> bool {
        let since = self.failing_since;
        since.is_some_and(|since| now.duration_since(since) >= GIVEN_UP)
    }
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) at: Timestamp,
    /// Status of the response, if there was one.
    pub(crate) status: Option<u16>,
    /// The error or the beginning of the response, without secrets.
    pub(crate) message: String,
    /// When the endpoint requests the next attempt, if it does.
    #[serde(skip)]
    pub(crate) retry_after: Option<SignedDuration>,
}

impl Attempt {
    /// Whether the endpoint has accepted the event.
    pub(crate) fn is_success(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }
    /// Whether the endpoint says that it wants no more events.
    pub(crate) fn is_gone(&self) -> bool {
        self.status == Some(410)
    }
}

impl Delivery {
    /// The delivery after an attempt that ends now. `random` is from 0 to 255 and makes the pause up to a quarter
    /// longer, so that deliveries which failed together are spread out.
    pub(crate) fn after(&self, attempt: Attempt, now: Timestamp, random: u8) -> Self {
        let attempts = self.attempts + 1;
        let pause = PAUSES.get(self.attempts as usize).copied();
        let (state, due_at) = match pause {
            _ if attempt.is_success() => (DeliveryState::Delivered, now),
            None => (DeliveryState::Failed, now),
            Some(seconds) => {
                let millis = seconds * 1000 + seconds * 1000 / 4 * i64::from(random) / 255;
                let asked = attempt.retry_after.unwrap_or_default().min(LONGEST_PAUSE);
                let pause = SignedDuration::from_millis(millis).max(asked);
                let due_at = now.checked_add(pause).unwrap_or(now);
                (DeliveryState::Waiting, due_at)
            }
        };
        Self {
            state,
            attempts,
            due_at,
            last: Some(attempt),
            updated_at: now,
            ..self.clone()
        }
    }

    /// Postpones the delivery a little, because this process couldn't try.
    pub(crate) fn put_off(&self, now: Timestamp) -> Self {
        let pause = SignedDuration::from_secs(PAUSES[0]);
        Self {
            due_at: now.checked_add(pause).unwrap_or(now),
            updated_at: now,
            ..self.clone()
        }
    }

    /// Marks it as failed, because its event was removed.
    pub(crate) fn without_event(&self, now: Timestamp) -> Self {
        Self {
            state: DeliveryState::Failed,
            last: Some(Attempt {
                at: now,
                status: None,
                message: String::from("the event is no longer kept"),
                retry_after: None,
            }),
            updated_at: now,
            ..self.clone()
        }
    }

    /// Starts the delivery again, immediately.
    pub(crate) fn again(&self, now: Timestamp) -> Self {
        Self {
            state: DeliveryState::Waiting,
            attempts: 0,
            due_at: now,
            updated_at: now,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{caller::Connections, identifier::EventId};

    const EPOCH: Timestamp = Timestamp::UNIX_EPOCH;

    fn failed(status: u16, retry_after: Option<i64>) -> Attempt {
        Attempt {
            at: EPOCH,
            status: Some(status),
            message: String::new(),
            retry_after: retry_after.map(SignedDuration::from_secs),
        }
    }

    fn delivery() -> Delivery {
        let id = uuid::Uuid::nil();
        Delivery {
            webhook_id: WebhookId::from_uuid(id),
            event_id: EventId::from_uuid(id),
            event_type: String::from("account.activated"),
            position: 1,
            account_id: None,
            state: DeliveryState::Waiting,
            attempts: 0,
            due_at: EPOCH,
            last: None,
            updated_at: EPOCH,
            extra: Extra::default(),
        }
    }

    #[test]
    fn a_delivery_is_tried_for_three_days_and_then_has_failed() {
        let (mut one, mut other) = (delivery(), delivery());
        let (mut least, mut most) = (0, 0);
        for _ in 0..9 {
            one = one.after(failed(500, None), EPOCH, 0);
            other = other.after(failed(500, None), EPOCH, 255);
            assert_eq!(one.state, DeliveryState::Waiting);
            least += one.due_at.as_second();
            most += other.due_at.as_second();
        }
        assert_eq!(least, 5 + 300 + 1800 + 75 * 3600);
        assert!(most > least && most <= least * 5 / 4, "{most}");
        one = one.after(failed(500, None), EPOCH, 0);
        assert_eq!((one.state, one.attempts), (DeliveryState::Failed, 10));
        let again = one.again(EPOCH);
        assert_eq!((again.state, again.attempts), (DeliveryState::Waiting, 0));
        let done = again.after(failed(204, None), EPOCH, 0);
        assert_eq!(done.state, DeliveryState::Delivered);
    }

    #[test]
    fn the_previous_secret_signs_until_a_day_has_passed() {
        let secret = |generation, until| SigningSecret {
            generation,
            sealed: Sealed::from_bytes(vec![1]),
            until,
        };
        let webhook = Webhook {
            id: WebhookId::from_uuid(uuid::Uuid::nil()),
            url: String::from("https://example.com/hooks"),
            events: Vec::new(),
            connections: Connections::ALL,
            description: None,
            secrets: vec![secret(1, None)],
            disabled: None,
            created_at: EPOCH,
            updated_at: EPOCH,
            extra: Extra::default(),
        };
        let rotated = webhook.rotated(Sealed::from_bytes(vec![2]), EPOCH);
        let signing = |at| -> Vec<u64> {
            let signing = rotated.signing(at);
            signing.map(|secret| secret.generation).collect()
        };
        let end = EPOCH + BOTH_SIGN;
        assert_eq!(signing(end - SignedDuration::from_secs(1)), [2, 1]);
        assert_eq!(signing(end), [2]);
    }

    #[test]
    fn an_endpoint_is_not_called_before_its_retry_after() {
        let due = |asked| {
            let after = delivery().after(failed(429, asked), EPOCH, 0);
            after.due_at.as_second()
        };
        assert_eq!(due(None), 5);
        assert_eq!(due(Some(1)), 5);
        assert_eq!(due(Some(120)), 120);
        assert_eq!(due(Some(1_000_000)), 86_400);
    }

    #[test]
    fn one_process_holds_a_lane_until_its_lease_ends() {
        let lane = Lane {
            webhook_id: WebhookId::from_uuid(uuid::Uuid::nil()),
            position: 0,
            failing_since: Some(EPOCH),
            holder: None,
            extra: Extra::default(),
        };
        let start = EPOCH;
        let held = lane.claimed("a", start, false).unwrap();
        assert_eq!(held.claimed("b", start, false), None);
        assert!(held.claimed("a", start, false).is_some());
        assert!(held.claimed("b", start, true).is_some());
        let later = start + LEASE + SignedDuration::from_secs(1);
        assert!(held.claimed("b", later, false).is_some());
        assert!(!lane.is_given_up(start + SignedDuration::from_hours(119)));
        assert!(lane.is_given_up(start + SignedDuration::from_hours(120)));
    }
}
