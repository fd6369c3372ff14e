//! Changes a webhook; enables it again after it was disabled.

use super::{check_address, check_description, check_events, existing, read::shown};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{
        NewEvent,
        webhook::{Lane, Webhook},
    },
    resource::{self, ChangeWebhook, WebhookChange},
    store::Versioned,
};

type Loaded = (Versioned<Webhook>, Option<Versioned<Lane>>);

pub(crate) async fn change(
    context: &Context,
    ChangeWebhook { webhook_id, change }: ChangeWebhook,
) -> Result<resource::Webhook> {
    let url = change.url.as_deref();
    let url = url.map(|url| check_address(context, url));
    let url = url.transpose()?.map(String::from);
    check_events(change.events.as_deref().unwrap_or_default())?;
    check_description(change.description.as_deref())?;
    context
        .change(
            "webhook.change",
            || load(context, &webhook_id),
            |(webhook, lane)| decide(context, &webhook, lane, url.as_ref(), &change),
        )
        .await?;
    context.feed.committed();
    shown(context, &webhook_id).await
}

async fn load(context: &Context, id: &str) -> Result<Loaded> {
    let webhook = existing(context, id).await?;
    let lane = context.store.lane(webhook.row.id).await?;
    Ok((webhook, lane))
}

fn decide(
    context: &Context,
    found: &Versioned<Webhook>,
    lane: Option<Versioned<Lane>>,
    url: Option<&String>,
    change: &WebhookChange,
) -> Result<(Change, ())> {
    let before = &found.row;
    let mut after = before.clone();
    if let Some(url) = url {
        after.url.clone_from(url);
    }
    if let Some(events) = &change.events {
        after.events.clone_from(events);
    }
    if let Some(description) = &change.description {
        after.description = Some(description.clone()).filter(|text| !text.is_empty());
    }
    match change.disabled {
        Some(true) if before.disabled.is_none() => after.disabled = Some(String::from("disabled")),
        Some(false) => after.disabled = None,
        _ => {}
    }
    if after == *before {
        return Ok((Change::none(), ()));
    }
    after.updated_at = context.now();
    let members = [
        ("url", before.url != after.url),
        ("events", before.events != after.events),
        ("description", before.description != after.description),
        ("disabled", before.disabled != after.disabled),
    ];
    let changed = members.into_iter().filter(|(_, differs)| *differs);
    let changed: Vec<&str> = changed.map(|(name, _)| name).collect();
    let mut commit = Change::none()
        .audit(after.audit("webhook.changed").fact("changed", changed))
        .event(NewEvent::new(
            "webhook.changed",
            serde_json::json!({ "webhook_id": after.id }),
        ));
    if let (Some(lane), true) = (lane, after.disabled.is_none() && before.disabled.is_some()) {
        let fresh = Lane {
            failing_since: None,
            ..lane.row
        };
        commit = commit.update(fresh, lane.version);
    }
    Ok((commit.update(after, found.version), ()))
}
