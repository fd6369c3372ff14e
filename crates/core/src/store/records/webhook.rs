//! Webhooks, the progress of their delivery queues, and deliveries that are or were pending.

use super::{EVENT, Found, Listed, Records, integer, text};
use crate::{
    Result,
    domain::{
        Event, Extra,
        webhook::{Delivery, DeliveryState, Lane, Webhook},
    },
    identifier::{EventId, WebhookId},
    store::{Index, Key, List, Record, Rewritten, Table, Value},
};

pub(super) static WEBHOOK: Table = Table {
    name: "webhook",
    columns: &[text("id")],
    key: Index::unique(&["id"]),
    indexes: &[],
    sealed: true,
};

/// Written with every batch, so it's separate from the secrets.
pub(super) static WEBHOOK_LANE: Table = Table {
    name: "webhook_lane",
    columns: &[text("webhook_id")],
    key: Index::unique(&["webhook_id"]),
    indexes: &[],
    sealed: false,
};

/// `waiting` is 1 until the delivery has succeeded or finally failed.
pub(super) static WEBHOOK_DELIVERY: Table = Table {
    name: "webhook_delivery",
    columns: &[
        text("webhook_id"),
        text("event_id"),
        integer("waiting"),
        integer("position"),
        integer("updated_at"),
    ],
    key: Index::unique(&["webhook_id", "event_id"]),
    indexes: &[DELIVERIES_IN_ORDER, DELIVERIES_BY_AGE],
    sealed: false,
};
const DELIVERIES_IN_ORDER: Index = Index::of(&["webhook_id", "waiting", "position"]);
pub(super) const DELIVERIES_BY_AGE: Index = Index::of(&["waiting", "updated_at"]);

impl Rewritten for Webhook {}
impl Record for Webhook {
    const TABLE: &'static Table = &WEBHOOK;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(self.id)]
    }
}

impl Rewritten for Lane {}
impl Record for Lane {
    const TABLE: &'static Table = &WEBHOOK_LANE;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(self.webhook_id)]
    }
}

impl Rewritten for Delivery {}
impl Record for Delivery {
    const TABLE: &'static Table = &WEBHOOK_DELIVERY;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.webhook_id),
            Value::text(self.event_id),
            Value::flag(self.state == DeliveryState::Waiting),
            Value::Integer(self.position),
            Value::moment(self.updated_at),
        ]
    }
}

impl Records {
    /// A webhook by ID.
    pub(crate) async fn webhook(&self, id: WebhookId) -> Found<Webhook> {
        self.get(id).await
    }
    /// Webhooks by ID, after `after`.
    pub(crate) async fn webhooks(&self, after: Option<WebhookId>, limit: u32) -> Listed<Webhook> {
        let after = after.map(|id| vec![Value::text(id)]);
        let list = List::new(&WEBHOOK, WEBHOOK.key).after(after);
        self.list(list.limit(limit)).await
    }
    /// The key of a webhook's delivery queue.
    pub(crate) fn lane_key(id: WebhookId) -> Key {
        Key::new(&WEBHOOK_LANE, vec![Value::text(id)])
    }
    /// The delivery queue of a webhook.
    pub(crate) async fn lane(&self, id: WebhookId) -> Found<Lane> {
        self.get(Self::lane_key(id)).await
    }
    /// A delivery.
    pub(crate) async fn delivery(&self, webhook: WebhookId, event: EventId) -> Found<Delivery> {
        let key = vec![Value::text(webhook), Value::text(event)];
        self.get(Key::new(&WEBHOOK_DELIVERY, key)).await
    }
    /// Deliveries of a webhook, newest event first, after `after`.
    pub(crate) async fn deliveries(
        &self,
        webhook: WebhookId,
        after: Option<EventId>,
        limit: u32,
    ) -> Listed<Delivery> {
        let list =
            List::new(&WEBHOOK_DELIVERY, WEBHOOK_DELIVERY.key).prefix([Value::text(webhook)]);
        let after = after.map(|id| vec![Value::text(id)]);
        self.list(list.descending().after(after).limit(limit)).await
    }
    /// Deliveries of a webhook that wait, in the order of their events.
    pub(crate) async fn waiting_deliveries(
        &self,
        webhook: WebhookId,
        limit: u32,
    ) -> Listed<Delivery> {
        let list = List::new(&WEBHOOK_DELIVERY, DELIVERIES_IN_ORDER);
        let list = list.prefix([Value::text(webhook), Value::flag(true)]);
        self.list(list.limit(limit)).await
    }
    /// Pending deliveries of all webhooks. Those that were tried or added the longest ago come first.
    pub(crate) async fn all_waiting_deliveries(&self, limit: u32) -> Listed<Delivery> {
        let list = List::new(&WEBHOOK_DELIVERY, DELIVERIES_BY_AGE).prefix([Value::flag(true)]);
        self.list(list.limit(limit)).await
    }
    /// Deletes some deliveries of a deleted webhook. Returns how many.
    pub(crate) async fn remove_deliveries(&self, webhook: WebhookId, limit: u32) -> Result<u64> {
        let list =
            List::new(&WEBHOOK_DELIVERY, WEBHOOK_DELIVERY.key).prefix([Value::text(webhook)]);
        self.0.prune(&list.limit(limit)).await
    }
    /// An event by ID.
    pub(crate) async fn event(&self, id: EventId) -> Found<Event> {
        self.get(Key::new(&EVENT, vec![Value::text(id)])).await
    }
}
