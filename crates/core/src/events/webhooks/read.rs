//! Reads webhooks, without their secrets.

use super::{existing, is_seen};
use crate::{
    Result,
    context::Context,
    domain::webhook::{Lane, Webhook},
    identifier::WebhookId,
    resource::{self, ListWebhooks, Page, ReadWebhook},
};

pub(crate) async fn list(context: &Context, list: ListWebhooks) -> Result<Page<resource::Webhook>> {
    let after = list.page.after::<WebhookId>()?;
    let limit = list.page.limit();
    let rows = context.store.webhooks(after, limit).await?;
    let full = rows.len() == limit as usize;
    let next = rows.last().filter(|_| full).map(|last| last.row.id);
    let mut items = Vec::new();
    for found in rows
        .into_iter()
        .filter(|found| is_seen(context, &found.row))
    {
        let lane = context.store.lane(found.row.id).await?;
        items.push(view(context, found.row, lane.map(|lane| lane.row).as_ref()));
    }
    Ok(Page::new(items, next.map(|id| id.to_string())))
}

pub(crate) async fn read(context: &Context, read: ReadWebhook) -> Result<resource::Webhook> {
    shown(context, &read.webhook_id).await
}

/// The webhook of an ID.
pub(super) async fn shown(context: &Context, id: &str) -> Result<resource::Webhook> {
    let webhook = existing(context, id).await?.row;
    let lane = context.store.lane(webhook.id).await?;
    Ok(view(context, webhook, lane.map(|lane| lane.row).as_ref()))
}

/// A webhook as applications see it.
pub(super) fn view(context: &Context, row: Webhook, lane: Option<&Lane>) -> resource::Webhook {
    let previous = row.signing(context.now()).find_map(|secret| secret.until);
    resource::Webhook {
        id: row.id,
        url: row.url,
        events: row.events,
        connections: row.connections.to_texts(),
        description: row.description,
        disabled: row.disabled,
        failing_since: lane.and_then(|lane| lane.failing_since),
        previous_secret_until: previous,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}
