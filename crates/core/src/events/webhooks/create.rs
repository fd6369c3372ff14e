//! Creates a webhook, which gets events from now on.

use secrecy::SecretString;

use super::{check_address, check_description, check_events, new_secret, read::view};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{
        NewEvent,
        webhook::{Lane, SigningSecret, Webhook},
    },
    identifier::WebhookId,
    resource::{NewWebhook, WebhookWithSecret},
};

/// Maximum number of webhooks.
const MOST: usize = 50;

pub(crate) async fn create(context: &Context, new: NewWebhook) -> Result<WebhookWithSecret> {
    let url = check_address(context, &new.url)?;
    check_events(&new.events)?;
    check_description(new.description.as_deref())?;
    let present = context.store.webhooks(None, MOST as u32).await?;
    if present.len() >= MOST {
        return Err(Error::new(
            ErrorKind::InvalidRequest,
            format!("this environment already has {MOST} webhooks, the maximum; delete one first"),
        ));
    }
    let id = WebhookId::from_uuid(context.new_id());
    let now = context.now();
    let new = Webhook {
        id,
        url: url.into(),
        events: new.events,
        connections: context.caller.connections().clone(),
        description: new.description,
        secrets: Vec::new(),
        disabled: None,
        created_at: now,
        updated_at: now,
        extra: Default::default(),
    };
    context
        .change(
            "webhook.create",
            || load(context, &new),
            |(webhook, lane, secret)| {
                let facts = serde_json::json!({ "webhook_id": webhook.id });
                let change = Change::none()
                    .audit(webhook.audit("webhook.created"))
                    .event(NewEvent::new("webhook.created", facts))
                    .insert(webhook.clone())
                    .insert(lane.clone());
                let webhook = view(context, webhook, Some(&lane));
                Ok((change, WebhookWithSecret::new(webhook, secret)))
            },
        )
        .await
}

/// The webhook with its secret, and a delivery queue that starts after the last event.
async fn load(context: &Context, new: &Webhook) -> Result<(Webhook, Lane, SecretString)> {
    let (sealed, secret) = new_secret(context, new.id, 1)?;
    let mut webhook = new.clone();
    webhook.secrets = vec![SigningSecret {
        generation: 1,
        sealed,
        until: None,
    }];
    let last = context.store.last_event().await?;
    let lane = Lane {
        webhook_id: new.id,
        position: last.and_then(|event| event.row.position).unwrap_or(0),
        failing_since: None,
        holder: None,
        extra: Default::default(),
    };
    Ok((webhook, lane, secret))
}
