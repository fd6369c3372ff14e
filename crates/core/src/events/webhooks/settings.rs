//! Creates a webhook, which gets events from now on, and changes its settings.

use secrecy::SecretString;

use super::{check_address, check_description, check_events, existing, manage::shown, new_secret};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{
        NewEvent,
        webhook::{Lane, SigningSecret, Webhook},
    },
    identifier::WebhookId,
    resource::{self, ChangeWebhook, NewWebhook, WebhookChange, WebhookWithSecret},
    store::Versioned,
};

/// Maximum number of webhooks.
const MOST: usize = 50;

pub(crate) async fn create(context: &Context, new: NewWebhook) -> Result<WebhookWithSecret> {
    let settings = checked(context, new.into())?;
    let present = context.store.webhooks(None, MOST as u32).await?;
    if present.len() >= MOST {
        return Err(Error::new(
            ErrorKind::InvalidRequest,
            format!("this environment already has {MOST} webhooks, the maximum; delete one first"),
        ));
    }
    let now = context.host.now();
    let mut new = Webhook {
        id: WebhookId::from_uuid(context.host.new_id()),
        url: String::new(),
        events: Vec::new(),
        connections: context.caller.connections().clone(),
        description: None,
        secrets: Vec::new(),
        disabled: None,
        created_at: now,
        updated_at: now,
        extra: Default::default(),
    };
    set(&mut new, settings);
    context
        .change(
            "webhook.create",
            || load_new(context, &new),
            |(webhook, lane, secret)| {
                let change = Change::none()
                    .audit(webhook.audit("webhook.created"))
                    .event(event("webhook.created", &webhook))
                    .insert(webhook.clone())
                    .insert(lane.clone());
                let webhook = webhook.shown(Some(&lane), context.host.now());
                Ok((change, WebhookWithSecret::new(webhook, secret)))
            },
        )
        .await
}

/// The webhook with its secret, and a delivery queue that starts after the last event.
async fn load_new(context: &Context, new: &Webhook) -> Result<(Webhook, Lane, SecretString)> {
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

pub(crate) async fn change(
    context: &Context,
    ChangeWebhook { webhook_id, change }: ChangeWebhook,
) -> Result<resource::Webhook> {
    let settings = checked(context, change)?;
    context
        .change(
            "webhook.change",
            || load(context, &webhook_id),
            |(webhook, lane)| decide(context, &webhook, lane, settings.clone()),
        )
        .await?;
    context.store.feed.committed();
    shown(context, &webhook_id).await
}

type Loaded = (Versioned<Webhook>, Option<Versioned<Lane>>);

async fn load(context: &Context, id: &str) -> Result<Loaded> {
    let webhook = existing(context, id).await?;
    let lane = context.store.lane(webhook.row.id).await?;
    Ok((webhook, lane))
}

/// A webhook that is enabled again isn't failing any more.
fn decide(
    context: &Context,
    found: &Versioned<Webhook>,
    lane: Option<Versioned<Lane>>,
    settings: WebhookChange,
) -> Result<(Change, ())> {
    let before = &found.row;
    let mut after = before.clone();
    let changed = set(&mut after, settings);
    if changed.is_empty() {
        return Ok((Change::none(), ()));
    }
    after.updated_at = context.host.now();
    let mut commit = Change::none()
        .audit(after.audit("webhook.changed").fact("changed", changed))
        .event(event("webhook.changed", &after));
    if let (Some(lane), true) = (lane, after.disabled.is_none() && before.disabled.is_some()) {
        let fresh = Lane {
            failing_since: None,
            ..lane.row
        };
        commit = commit.update(fresh, lane.version);
    }
    Ok((commit.update(after, found.version), ()))
}

fn event(name: &'static str, webhook: &Webhook) -> NewEvent {
    NewEvent::new(name, serde_json::json!({ "webhook_id": webhook.id }))
}

/// The settings, if each of them is valid.
fn checked(context: &Context, settings: WebhookChange) -> Result<WebhookChange> {
    let url = settings.url.as_deref();
    let url = url.map(|url| check_address(context, url)).transpose()?;
    check_events(settings.events.as_deref().unwrap_or_default())?;
    check_description(settings.description.as_deref())?;
    Ok(WebhookChange {
        url: url.map(String::from),
        ..settings
    })
}

/// Sets the given members. Returns the names of those that changed.
fn set(webhook: &mut Webhook, settings: WebhookChange) -> Vec<&'static str> {
    fn put<T: PartialEq>(member: &mut T, value: Option<T>) -> bool {
        let value = value.filter(|value| value != member);
        value.map(|value| *member = value).is_some()
    }
    let description = settings.description;
    let description = description.map(|text| Some(text).filter(|text| !text.is_empty()));
    let disabled = match settings.disabled {
        // A disabled webhook keeps its reason.
        Some(true) if webhook.disabled.is_some() => None,
        Some(true) => Some(Some(String::from("disabled"))),
        Some(false) => Some(None),
        None => None,
    };
    let members = [
        ("url", put(&mut webhook.url, settings.url)),
        ("events", put(&mut webhook.events, settings.events)),
        ("description", put(&mut webhook.description, description)),
        ("disabled", put(&mut webhook.disabled, disabled)),
    ];
    let changed = members.into_iter().filter(|(_, differs)| *differs);
    changed.map(|(name, _)| name).collect()
}
