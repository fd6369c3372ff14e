//! Webhooks: addresses of the application that get events, and deliveries that were not taken at once.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::identifier::{EventId, WebhookId};

/// An address of the application that gets events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "id": "hook_01a2037b05fe701f8283babfb553cbf5", "url": "https://app.example.com/hooks/stead",
    "events": ["account.*"], "created_at": "2026-11-22T13:38:43Z", "updated_at": "2026-11-22T13:38:43Z",
}))]
#[non_exhaustive]
pub struct Webhook {
    /// Id.
    pub id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// Which types of events, such as `account.*`; all where there are none.
    pub events: Vec<String>,
    /// Connections whose events it gets, where the credential that made it is limited to some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Why nothing is sent: `disabled` by a change, `gone` because the endpoint responded 410, `failing` for 5 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
    /// Since when every delivery has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// Until when the secret before the present one signs as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_secret_until: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What a new webhook is made of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "url": "https://app.example.com/hooks/stead", "events": ["account.*"] }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewWebhook {
    /// Where events are sent: https, and not in a private network.
    pub url: String,
    /// Which types of events, such as `account.*` or `connection.deleted`; all where there are none.
    #[serde(default)]
    pub events: Vec<String>,
    /// For people, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl NewWebhook {
    /// All events, to this address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            ..Self::default()
        }
    }
    /// Only events of these types.
    #[must_use]
    pub fn events<E: Into<String>>(mut self, events: impl IntoIterator<Item = E>) -> Self {
        self.events = events.into_iter().map(Into::into).collect();
        self
    }
}

/// What changes of a webhook; members that are absent stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "events": ["account.*", "connection.*"], "description": "the shop" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WebhookChange {
    /// Where events are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Which types of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Stops deliveries, or goes on with the events that came meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

/// A webhook with a secret, which is shown once.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WebhookWithSecret {
    /// The webhook.
    pub webhook: Webhook,
    /// The secret that verifies what is sent, as Standard Webhooks writes it: `whsec_…`.
    pub secret: SecretString,
}

impl WebhookWithSecret {
    /// A webhook with its secret.
    pub fn new(webhook: Webhook, secret: SecretString) -> Self {
        Self { webhook, secret }
    }
}

/// A delivery that the endpoint did not take at the first attempt, or that was asked for: a test or a replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "event_id": "evt_01a2037b06377022b5c52f511824e17a", "event_type": "webhook.test", "state": "delivered",
    "attempts": 1, "last_attempt_at": "2026-11-22T13:38:43Z", "status": 200, "message": "ok",
}))]
#[non_exhaustive]
pub struct WebhookDelivery {
    /// Id of the event, which is also the header `webhook-id`.
    pub event_id: EventId,
    /// Type of the event.
    pub event_type: String,
    /// `waiting`, `delivered` or `failed`.
    pub state: String,
    /// Attempts so far.
    pub attempts: u32,
    /// When the next attempt is due, while it waits; not before an earlier event of the same account is through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<Timestamp>,
    /// When the last attempt was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_attempt_at: Option<Timestamp>,
    /// Status of the last response, where one came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What the last response said, or why none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Which events are sent once more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "since": "2026-11-22T02:00:00Z" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WebhookReplay {
    /// All that happened at this time or later.
    pub since: Timestamp,
}

impl WebhookReplay {
    /// All events from this time on.
    pub fn since(since: Timestamp) -> Self {
        Self { since }
    }
}
