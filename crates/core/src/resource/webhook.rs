//! Webhooks: your application's URLs that receive events, and their deliveries.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_derive::Setters;

use super::{Page, secret};
use crate::{
    ErrorKind::NotFound,
    api::{Paging, operations, query, resource},
    identifier::{EventId, WebhookId},
    scope::ScopeName::WebhooksManage,
    state::DeliveryState,
};
#[cfg(feature = "platform")]
use crate::{
    caller::Connections,
    domain::{
        Extra,
        webhook::{Attempt, Lane, SigningSecret},
    },
    identifier::AccountId,
};

operations! {
    /// Lists webhooks.
    list: ListWebhooks { ; query page: Paging } -> Page<Webhook>
        = GET "/v1/webhooks" { scope: Some(WebhooksManage) }
    /// Creates a webhook and shows its secret once.
    create: NewWebhook(body) -> WebhookWithSecret
        = POST "/v1/webhooks" { status: 201, scope: Some(WebhooksManage), audit: &["webhook.created"] }
    /// Reads a webhook.
    read: ReadWebhook { webhook_id } -> Webhook
        = GET "/v1/webhooks/{webhook_id}" { scope: Some(WebhooksManage), errors: &[NotFound] }
    /// Changes the given members of a webhook.
    change: ChangeWebhook { webhook_id; body change: WebhookChange } -> Webhook
        = PATCH "/v1/webhooks/{webhook_id}" {
            scope: Some(WebhooksManage), errors: &[NotFound], audit: &["webhook.changed"],
        }
    /// Deletes a webhook and its deliveries.
    delete: DeleteWebhook { webhook_id } -> ()
        = DELETE "/v1/webhooks/{webhook_id}" {
            status: 204, scope: Some(WebhooksManage), errors: &[NotFound], audit: &["webhook.deleted"],
        }
    /// Creates a new secret and shows it once.
    rotate_secret: RotateWebhookSecret { webhook_id } -> WebhookWithSecret
        = POST "/v1/webhooks/{webhook_id}/rotate-secret" {
            scope: Some(WebhooksManage), errors: &[NotFound], audit: &["webhook.secret_rotated"],
        }
    /// Sends a test event now.
    test: TestWebhook { webhook_id } -> WebhookDelivery
        = POST "/v1/webhooks/{webhook_id}/test" { scope: Some(WebhooksManage), errors: &[NotFound] }
    /// Sends all events since a time again.
    replay: ReplayWebhook { webhook_id; body replay: WebhookReplay } -> Webhook
        = POST "/v1/webhooks/{webhook_id}/replay" {
            scope: Some(WebhooksManage), errors: &[NotFound], repeatable: true,
        }
    /// Lists the deliveries of a webhook, newest first.
    deliveries: ListWebhookDeliveries { webhook_id; query filter: DeliveryFilter, query page: Paging } -> Page<WebhookDelivery>
        = GET "/v1/webhooks/{webhook_id}/deliveries" { scope: Some(WebhooksManage), errors: &[NotFound] }
    /// Sends an event to a webhook again.
    replay_delivery: ReplayWebhookDelivery { webhook_id, event_id } -> WebhookDelivery
        = POST "/v1/webhooks/{webhook_id}/deliveries/{event_id}/replay" {
            scope: Some(WebhooksManage), errors: &[NotFound], repeatable: true,
        }
}

query! {
    /// Which deliveries to list.
    #[derive(Copy)]
    pub struct DeliveryFilter {
        /// Only deliveries in this state.
        pub state: Option<DeliveryState>,
    }
}

impl DeliveryFilter {
    /// Only deliveries in this state, if there is one.
    pub fn of(state: Option<DeliveryState>) -> Self {
        Self { state }
    }
}

resource! {
    /// A URL of your application that receives events.
    #[schemars(example = json!({
        "id": "hook_01a2037b05fe701f8283babfb553cbf5", "url": "https://app.example.com/hooks/stead",
        "events": ["account.*"], "created_at": "2026-11-22T13:38:43Z", "updated_at": "2026-11-22T13:38:43Z",
    }))]
    pub struct Webhook, stored as WebhookRow, shown with (row, lane: Option<&Lane>, now: Timestamp) {
        /// ID.
        pub id: WebhookId = stored,
        /// URL that Stead sends events to.
        pub url: String = stored,
        /// Types of events to send, such as `account.*`. An empty list means all.
        pub events: Vec<String> = stored,
        /// Connections whose events it receives, if the credential that created it is limited to some.
        pub connections: Option<Vec<String>> = computed row.connections.to_texts(),
        #[serde(default, skip_serializing_if = "Connections::are_all")]
        private connections: Connections,
        /// Description for people.
        pub description: Option<String> = stored,
        /// Secrets that sign, newest first.
        private secrets: Vec<SigningSecret>,
        /// Why Stead sends nothing: `disabled` (you disabled it), `gone` (the endpoint responded 410) or `failing`
        /// (deliveries failed for 5 days).
        pub disabled: Option<String> = stored,
        /// Time since which every delivery has failed.
        pub failing_since: Option<Timestamp> = computed lane.and_then(|lane| lane.failing_since),
        /// Time until which Stead also signs with the previous secret.
        pub previous_secret_until: Option<Timestamp> = computed row.signing(now).find_map(|secret| secret.until),
        /// When it was created.
        pub created_at: Timestamp = stored,
        /// When it was last changed.
        pub updated_at: Timestamp = stored,
        /// Other members of the stored body, such as those of a newer version.
        #[serde(flatten)]
        private extra: Extra,
    }
}

/// A request for a new webhook.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = json!({ "url": "https://app.example.com/hooks/stead", "events": ["account.*"] }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewWebhook {
    /// URL that Stead sends events to. It must use https and can't be in a private network.
    pub url: String,
    /// Types of events to send, such as `account.*` or `connection.deleted`. Defaults to all.
    #[serde(default)]
    pub events: Vec<String>,
    /// Description for people, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Changes to a webhook. Absent members stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = json!({ "events": ["account.*", "connection.*"], "description": "the shop" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WebhookChange {
    /// URL that Stead sends events to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Types of events to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// Description for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Disables the webhook, or enables it and sends the events that happened in the meantime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

impl From<NewWebhook> for WebhookChange {
    /// The settings of a new webhook.
    fn from(new: NewWebhook) -> Self {
        Self {
            url: Some(new.url),
            events: Some(new.events),
            description: new.description,
            disabled: None,
        }
    }
}

/// A webhook with its secret, which is shown only once.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "id": "hook_01a2037b05fe701f8283babfb553cbf5", "url": "https://app.example.com/hooks/stead",
    "events": ["account.*"], "created_at": "2026-11-22T13:38:43Z", "updated_at": "2026-11-22T13:38:43Z",
    "secret": "whsec_…",
}))]
#[non_exhaustive]
pub struct WebhookWithSecret {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// The secret that verifies deliveries, in the format of Standard Webhooks: `whsec_…`.
    #[serde(serialize_with = "secret::exposed")]
    #[schemars(with = "String")]
    pub secret: SecretString,
}

impl WebhookWithSecret {
    /// A webhook with its secret.
    pub fn new(webhook: Webhook, secret: SecretString) -> Self {
        Self { webhook, secret }
    }
}

resource! {
    /// A delivery that failed at the first attempt, or a test or replay that you requested.
    #[schemars(example = json!({
        "event_id": "evt_01a2037b06377022b5c52f511824e17a", "event_type": "webhook.test", "state": "delivered",
        "attempts": 1, "last_attempt_at": "2026-11-22T13:38:43Z", "status": 200, "message": "ok",
    }))]
    pub struct WebhookDelivery, stored as WebhookDeliveryRow, shown with (row) {
        /// Webhook and event; primary key.
        private webhook_id: WebhookId,
        /// ID of the event, which is also in the header `webhook-id`.
        pub event_id: EventId = stored,
        /// Type of the event.
        pub event_type: String = stored,
        /// Position of the event in the feed. 0 for a test.
        private position: i64,
        /// Account of the event. Deliveries of one account are in order.
        private account_id: Option<AccountId>,
        /// `waiting`, `delivered` or `failed`.
        pub state: String = computed row.state.name().to_owned(),
        private state: DeliveryState,
        /// Number of attempts so far.
        pub attempts: u32 = stored,
        /// When the next attempt is due, if one is pending. Stead first finishes earlier events of the same account.
        pub next_attempt_at: Option<Timestamp> = computed (row.state == DeliveryState::Waiting).then_some(row.due_at),
        /// When to try next, if it's pending.
        private due_at: Timestamp,
        /// When the last attempt was made.
        pub last_attempt_at: Option<Timestamp> = computed row.last.as_ref().map(|last| last.at),
        /// Status of the last response, if one arrived.
        pub status: Option<u16> = computed row.last.as_ref().and_then(|last| last.status),
        /// Body of the last response, or why none arrived.
        pub message: Option<String>
            = computed row.last.map(|last| last.message).filter(|text| !text.is_empty()),
        /// Result of the last attempt.
        private last: Option<Attempt>,
        /// When it was last changed.
        private updated_at: Timestamp,
        /// Other members of the stored body, such as those of a newer version.
        #[serde(flatten)]
        private extra: Extra,
    }
}

/// A request to send events again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "since": "2026-11-22T02:00:00Z" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WebhookReplay {
    /// All events at this time or later.
    pub since: Timestamp,
}

impl WebhookReplay {
    /// All events from this time on.
    pub fn since(since: Timestamp) -> Self {
        Self { since }
    }
}
