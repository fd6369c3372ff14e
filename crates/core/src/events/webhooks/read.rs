//! Reads webhooks, without their secrets.

use super::{existing, is_seen};
use crate::{
    Result,
    context::Context,
    domain::webhook::Webhook,
    identifier::WebhookId,
    resource::{self, ListWebhooks, Page, ReadWebhook},
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
