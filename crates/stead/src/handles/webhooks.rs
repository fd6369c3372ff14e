//! Addresses of the application that get events.

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

/// Webhooks: addresses of your application that get events, signed as Standard Webhooks says.
#[derive(Clone)]
pub struct Webhooks(Backend);

impl Webhooks {
    pub(crate) fn new(backend: Backend) -> Self {
        Self(backend)
    }

    /// Creates a webhook: it gets what happens from now on. The secret in the response verifies what is sent.
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
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) with the places.
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

    /// Changes a webhook. One that was disabled goes on with the events that came meanwhile.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest).
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

    /// Gives a webhook a new secret. The one before signs as well for 24 hours.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn rotate_secret(&self, id: &str) -> Result<WebhookWithSecret> {
        self.0.send(RotateWebhookSecret::new(id)).await
    }

    /// Sends a test event now, and says how the endpoint responded.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn test(&self, id: &str) -> Result<WebhookDelivery> {
        self.0.send(TestWebhook::new(id)).await
    }

    /// Deliveries that were not taken at the first attempt, tests and replays, the newest event first.
    pub fn deliveries(&self, id: &str) -> List<WebhookDelivery> {
        List::of(self.0.clone(), ListWebhookDeliveries::new(id))
    }

    /// Sends the event of a delivery once more.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn replay_delivery(&self, id: &str, event_id: &str) -> Result<WebhookDelivery> {
        self.0.send(ReplayWebhookDelivery::new(id, event_id)).await
    }

    /// Sends all events from a time on once more.
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
