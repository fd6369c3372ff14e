//! `/v1/webhooks`: addresses of the application that get events.

mod change;
mod create;
mod delete;
mod deliveries;
mod list;
mod read;
mod replay;
mod replay_delivery;
mod rotate_secret;
mod test;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::Serialize;
use serde_json::json;
use stead::core::resource::{Webhook, WebhookWithSecret};

pub(super) use change::change;
pub(super) use create::create;
pub(super) use delete::delete;
pub(super) use deliveries::{QUERY as DELIVERIES, deliveries};
pub(super) use list::list;
pub(super) use read::read;
pub(super) use replay::replay;
pub(super) use replay_delivery::replay_delivery;
pub(super) use rotate_secret::rotate_secret;
pub(super) use test::test;

/// A webhook with its secret, which is shown this once.
#[derive(Serialize, JsonSchema)]
#[schemars(example = json!({
    "id": "hook_01a2037b05fe701f8283babfb553cbf5", "url": "https://app.example.com/hooks/stead",
    "events": ["account.*"], "created_at": "2026-11-22T13:38:43Z", "updated_at": "2026-11-22T13:38:43Z",
    "secret": "whsec_…",
}))]
#[schemars(rename = "WebhookWithSecret")]
pub(in crate::rest) struct Shown {
    #[serde(flatten)]
    webhook: Webhook,
    /// What verifies the signatures: `whsec_…`.
    secret: String,
}

impl From<WebhookWithSecret> for Shown {
    fn from(made: WebhookWithSecret) -> Self {
        Self {
            webhook: made.webhook,
            secret: made.secret.expose_secret().to_owned(),
        }
    }
}
