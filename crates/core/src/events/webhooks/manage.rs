//! Reads, deletes and rotates webhooks.

use super::{existing, is_seen, new_secret};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{NewEvent, webhook::Webhook},
    identifier::WebhookId,
    resource::{
        self, DeleteWebhook, ListWebhooks, Page, ReadWebhook, RotateWebhookSecret,
        WebhookWithSecret,
    },
    store::Records,
};

pub(crate) async fn list(context: &Context, list: ListWebhooks) -> Result<Page<resource::Webhook>> {
    let after = list.page.after::<WebhookId>()?;
    let rows = context.store.webhooks(after, list.page.limit()).await?;
    let next = list.page.next(&rows, |row| row.id);
    let mut items = Vec::new();
    for found in rows {
        if is_seen(context, &found.row) {
            items.push(with_lane(context, found.row).await?);
        }
    }
    Ok(Page::new(items, next))
}

pub(crate) async fn read(context: &Context, read: ReadWebhook) -> Result<resource::Webhook> {
    shown(context, &read.webhook_id).await
}

/// The webhook of an ID.
pub(super) async fn shown(context: &Context, id: &str) -> Result<resource::Webhook> {
    with_lane(context, existing(context, id).await?.row).await
}

async fn with_lane(context: &Context, row: Webhook) -> Result<resource::Webhook> {
    let lane = context.store.lane(row.id).await?.map(|lane| lane.row);
    Ok(row.shown(lane.as_ref(), context.host.now()))
}

/// Deliveries that are removed together.
const ROUND: u32 = 500;

pub(crate) async fn delete(context: &Context, delete: DeleteWebhook) -> Result<()> {
    let id = context
        .change(
            "webhook.delete",
            || async {
                let webhook = existing(context, &delete.webhook_id).await?;
                let lane = context.store.lane(webhook.row.id).await?;
                Ok((webhook, lane))
            },
            |(webhook, lane)| {
                let id = webhook.row.id;
                let mut change = Change::none()
                    .audit(webhook.row.audit("webhook.deleted"))
                    .event(NewEvent::new(
                        "webhook.deleted",
                        serde_json::json!({ "webhook_id": id }),
                    ))
                    .delete(id, webhook.version);
                if let Some(lane) = lane {
                    change = change.delete(Records::lane_key(id), lane.version);
                }
                Ok((change, id))
            },
        )
        .await?;
    while context.store.remove_deliveries(id, ROUND).await? == u64::from(ROUND) {}
    Ok(())
}

pub(crate) async fn rotate_secret(
    context: &Context,
    rotate: RotateWebhookSecret,
) -> Result<WebhookWithSecret> {
    let id = rotate.webhook_id.as_str();
    let secret = context
        .change(
            "webhook.rotate_secret",
            || async {
                let webhook = existing(context, id).await?;
                let generation = webhook.row.next_generation();
                let (sealed, secret) = new_secret(context, webhook.row.id, generation)?;
                Ok((webhook, sealed, secret))
            },
            |(webhook, sealed, secret)| {
                let rotated = webhook.row.rotated(sealed, context.host.now());
                let change = Change::none()
                    .audit(rotated.audit("webhook.secret_rotated"))
                    .event(NewEvent::new(
                        "webhook.secret_rotated",
                        serde_json::json!({ "webhook_id": rotated.id }),
                    ))
                    .update(rotated, webhook.version);
                Ok((change, secret))
            },
        )
        .await?;
    Ok(WebhookWithSecret::new(shown(context, id).await?, secret))
}
