//! Deliveries that didn't succeed immediately, replays, and test events.

use super::{existing, manage::shown, send::send};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::webhook::{Delivery, Lane},
    identifier::EventId,
    resource::{
        self, ListWebhookDeliveries, Page, ReplayWebhook, ReplayWebhookDelivery, TestWebhook,
        WebhookDelivery,
    },
    state::DeliveryState,
};

/// The type of the event that tests send.
const TEST: &str = "webhook.test";

/// Deliveries that are read at a time in search of those in a state, and how many times.
const READ: u32 = 100;
const ROUNDS: u32 = 20;

/// Deliveries of a webhook, newest event first. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn deliveries(
    context: &Context,
    list: ListWebhookDeliveries,
) -> Result<Page<WebhookDelivery>> {
    let webhook = existing(context, &list.webhook_id).await?.row.id;
    let state = list.filter.state;
    let mut after = list.page.after::<EventId>()?;
    let limit = list.page.limit() as usize;
    let mut items = Vec::new();
    for _ in 0..ROUNDS {
        let rows = context.store.deliveries(webhook, after, READ).await?;
        let last = rows.len() < READ as usize;
        for found in rows {
            after = Some(found.row.event_id);
            if state.is_none_or(|state| state == found.row.state) {
                items.push(found.row.shown());
            }
            if items.len() == limit {
                return Ok(Page::new(items, after.map(|id| id.to_string())));
            }
        }
        if last {
            return Ok(Page::new(items, None));
        }
    }
    Ok(Page::new(items, after.map(|id| id.to_string())))
}

/// Delivers the event of a delivery again, starting with the first attempt.
pub(crate) async fn replay_delivery(
    context: &Context,
    replay: ReplayWebhookDelivery,
) -> Result<WebhookDelivery> {
    let webhook = existing(context, &replay.webhook_id).await?.row.id;
    let unknown = || {
        Error::new(
            ErrorKind::NotFound,
            "this webhook has no delivery with this id",
        )
    };
    let event: EventId = replay.event_id.parse().map_err(|_| unknown())?;
    let again = context
        .change(
            "webhook.replay",
            || async {
                let found = context.store.delivery(webhook, event).await?;
                found.ok_or_else(unknown)
            },
            |found| {
                if found.row.event_type == TEST {
                    return Err(Error::new(
                        ErrorKind::InvalidRequest,
                        "a test event can't be sent again; send a new test",
                    ));
                }
                let again = found.row.again(context.host.now());
                Ok((Change::none().update(again.clone(), found.version), again))
            },
        )
        .await?;
    context.store.feed.committed();
    Ok(again.shown())
}

/// Delivers all events since a time again, in the order of the feed.
pub(crate) async fn replay(
    context: &Context,
    ReplayWebhook { webhook_id, replay }: ReplayWebhook,
) -> Result<resource::Webhook> {
    let webhook = existing(context, &webhook_id).await?.row.id;
    let first = context.store.first_event_since(replay.since).await?;
    if let Some(first) = first.and_then(|event| event.row.position) {
        context
            .change(
                "webhook.replay_since",
                || context.store.lane(webhook),
                |lane| {
                    let back = lane.filter(|lane| lane.row.position >= first);
                    let Some(lane) = back else {
                        return Ok((Change::none(), ()));
                    };
                    let back = Lane {
                        position: first - 1,
                        ..lane.row
                    };
                    Ok((Change::none().update(back, lane.version), ()))
                },
            )
            .await?;
        context.store.feed.committed();
    }
    shown(context, &webhook_id).await
}

/// Sends a test event now, whether or not the webhook is disabled.
pub(crate) async fn test(context: &Context, test: TestWebhook) -> Result<WebhookDelivery> {
    let webhook = existing(context, &test.webhook_id).await?.row;
    let event_id = EventId::from_uuid(context.host.new_id());
    let now = context.host.now();
    let body = serde_json::json!({
        "id": event_id,
        "type": TEST,
        "timestamp": now,
        "actor": context.caller.actor(),
        "data": { "webhook_id": webhook.id },
    });
    let attempt = send(context, &webhook, event_id, body.to_string().into_bytes()).await?;
    let state = if attempt.is_success() {
        DeliveryState::Delivered
    } else {
        DeliveryState::Failed
    };
    let delivery = Delivery {
        webhook_id: webhook.id,
        event_id,
        event_type: TEST.to_owned(),
        position: 0,
        account_id: None,
        state,
        attempts: 1,
        due_at: now,
        last: Some(attempt),
        updated_at: context.host.now(),
        extra: Default::default(),
    };
    let exists = Error::new(ErrorKind::Internal, "two tests have the same id");
    let change = Change::none().insert(delivery.clone());
    context.add("webhook.test", change, exists).await?;
    Ok(delivery.shown())
}
