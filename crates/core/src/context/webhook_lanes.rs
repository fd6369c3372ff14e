//! Delivery queues that this process is working on. Each has at most one worker.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::outbox::OutboxQueue;
use crate::identifier::WebhookId;

/// A worker's state for each webhook.
#[derive(Debug, Default)]
pub(crate) struct WebhookLanes(Mutex<HashMap<WebhookId, Arc<OutboxQueue>>>);

impl WebhookLanes {
    /// The worker of a webhook.
    pub(crate) fn of(&self, id: WebhookId) -> Arc<OutboxQueue> {
        Arc::clone(self.lanes().entry(id).or_default())
    }

    /// The webhooks that were worked on since the start.
    pub(crate) fn ids(&self) -> Vec<WebhookId> {
        self.lanes().keys().copied().collect()
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<WebhookId, Arc<OutboxQueue>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
