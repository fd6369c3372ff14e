//! Webhooks of an environment.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result,
    events::webhooks,
    resource::{
        DeliveryState, NewWebhook, Page, Webhook, WebhookChange, WebhookDelivery, WebhookReplay,
        WebhookWithSecret,
    },
};

impl Environment {
    /// Creates a webhook: an address that gets events from now on, signed as Standard Webhooks says. The secret that
    /// verifies them is in the response, and nowhere else.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an address that is not https or in a private network, and for types of events
    /// that do not exist.
    pub async fn create_webhook(&self, new: NewWebhook) -> Result<WebhookWithSecret> {
        webhooks::create(&self.0, new).await
    }

    /// Webhooks by id.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a page token of another list.
    pub async fn webhooks(
        &self,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<Webhook>> {
        webhooks::list(&self.0, page_token, page_size).await
    }

    /// One webhook.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn webhook(&self, id: &str) -> Result<Webhook> {
        webhooks::read(&self.0, id).await
    }

    /// Changes a webhook. One that was disabled goes on with the events that came meanwhile.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidRequest`].
    pub async fn change_webhook(&self, id: &str, change: WebhookChange) -> Result<Webhook> {
        webhooks::change(&self.0, id, change).await
    }

    /// Deletes a webhook with its deliveries.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn delete_webhook(&self, id: &str) -> Result<()> {
        webhooks::delete(&self.0, id).await
    }

    /// Gives a webhook a new secret. The one before signs as well for 24 hours.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn rotate_webhook_secret(&self, id: &str) -> Result<WebhookWithSecret> {
        webhooks::rotate_secret(&self.0, id).await
    }

    /// Sends a test event now, and says how the endpoint responded.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`]. What the endpoint says is not an error but the response.
    pub async fn test_webhook(&self, id: &str) -> Result<WebhookDelivery> {
        webhooks::test(&self.0, id).await
    }

    /// Deliveries that were not taken at the first attempt, tests and replays, of the last 7 days, the youngest event first;
    /// only those in a state where one is given. A page may hold fewer than `page_size` although more follow.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidRequest`] for a page token of another list.
    pub async fn webhook_deliveries(
        &self,
        id: &str,
        state: Option<DeliveryState>,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<WebhookDelivery>> {
        webhooks::deliveries(&self.0, id, state, page_token, page_size).await
    }

    /// Sends the event of a delivery once more.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidRequest`] for a test.
    pub async fn replay_webhook_delivery(&self, id: &str, event: &str) -> Result<WebhookDelivery> {
        webhooks::replay(&self.0, id, event).await
    }

    /// Sends all events from a time on once more, as far back as events are kept.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn replay_webhook(&self, id: &str, replay: &WebhookReplay) -> Result<Webhook> {
        webhooks::replay_since(&self.0, id, replay).await
    }
}
