//! Addresses of the application that receive events.

use std::fmt;

use stead_core::{
    Result,
    resource::{
        ChangeWebhook, DeleteWebhook, ListWebhookDeliveries, ListWebhooks, NewWebhook, ReadWebhook,
        ReplayWebhook, ReplayWebhookDelivery, RotateWebhookSecret, TestWebhook, Webhook,
        WebhookChange, WebhookDelivery, WebhookReplay, WebhookWithSecret,
    },
};

use super::list::List;
use crate::backend::Backend;

/// Webhooks: addresses of your application that receive events. Signatures follow Standard Webhooks.
#[derive(Clone)]
pub struct Webhooks(Backend);

impl Webhooks {
    pub(crate) fn new(backend: Backend) -> Self {
        Self(backend)
    }

    /// Creates a webhook, which receives all events from now on. The response has the secret with which you verify
    /// them.
    ///
    /// ```
    /// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> stead::Result<()> {
    /// # use stead::{NewWebhook, Platform};
    /// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
    /// let new = NewWebhook::new("https://app.example.com/hooks/stead").events(["account.*"]);
    /// let made = platform.webhooks().create(new).await?;
    /// assert!(made.webhook.disabled.is_none());
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), which names the invalid members.
    pub async fn create(&self, new: NewWebhook) -> Result<WebhookWithSecret> {
        self.0.send(new).await
    }

    /// All webhooks.
    pub fn list(&self) -> List<Webhook> {
        List::of(self.0.clone(), ListWebhooks::new())
    }

    /// One webhook.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn read(&self, id: &str) -> Result<Webhook> {
        self.0.send(ReadWebhook::new(id)).await
    }

    /// Changes a webhook. If you enable it again, it receives the events that it missed.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound),
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest).
    pub async fn change(&self, id: &str, change: WebhookChange) -> Result<Webhook> {
        self.0.send(ChangeWebhook::new(id, change)).await
    }

    /// Deletes a webhook with its deliveries.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn delete(&self, id: &str) -> Result<()> {
        self.0.send(DeleteWebhook::new(id)).await
    }

    /// Gives a webhook a new secret. For 24 hours, deliveries are signed with the previous one too.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn rotate_secret(&self, id: &str) -> Result<WebhookWithSecret> {
        self.0.send(RotateWebhookSecret::new(id)).await
    }

    /// Sends a test event now, and reports how the endpoint responded.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn test(&self, id: &str) -> Result<WebhookDelivery> {
        self.0.send(TestWebhook::new(id)).await
    }

    /// Deliveries whose first attempt failed, tests and replays. The newest event comes first.
    pub fn deliveries(&self, id: &str) -> List<WebhookDelivery> {
        List::of(self.0.clone(), ListWebhookDeliveries::new(id))
    }

    /// Sends the event of a delivery again.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn replay_delivery(&self, id: &str, event_id: &str) -> Result<WebhookDelivery> {
        self.0.send(ReplayWebhookDelivery::new(id, event_id)).await
    }

    /// Sends all events since a time again.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn replay(&self, id: &str, replay: WebhookReplay) -> Result<Webhook> {
        self.0.send(ReplayWebhook::new(id, replay)).await
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").finish_non_exhaustive()
    }
}
