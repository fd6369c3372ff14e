//! Webhooks (Standard Webhooks): an application's endpoints, and the queues that deliver events to them.
//!
//! Each endpoint has its own queue: a position in the feed, and rows for failed deliveries that are pending. Events of
//! one account are sent in order. While one is pending, later ones of that account wait for it.

mod deliveries;
mod lane;
mod manage;
mod send;
mod settings;
#[cfg(test)]
mod tests;
mod workers;

pub(crate) use deliveries::{deliveries, replay, replay_delivery, test};
pub(crate) use manage::delete;
pub(crate) use manage::rotate_secret;
pub(crate) use manage::{list, read};
pub(crate) use settings::{change, create};
pub(crate) use workers::give_back;
pub(crate) use workers::start;

use secrecy::SecretString;

use crate::{
    Error, ErrorKind, Result,
    context::Context,
    domain::{webhook::Webhook, webhook_url::check_url},
    identifier::WebhookId,
    resource::EventFilter,
    sealed::{Sealed, place},
    store::Versioned,
};

/// The webhook with the ID from a path.
async fn existing(context: &Context, id: &str) -> Result<Versioned<Webhook>> {
    let unknown = || Error::new(ErrorKind::NotFound, "no webhook has this id");
    let id: WebhookId = id.parse().map_err(|_| unknown())?;
    let found = context.store.webhook(id).await?;
    let seen = |found: &Versioned<Webhook>| is_seen(context, &found.row);
    found.filter(seen).ok_or_else(unknown)
}

/// Whether the caller can see it. A caller can't see a webhook that also gets events of other connections.
fn is_seen(context: &Context, webhook: &Webhook) -> bool {
    context.caller.connections().cover(&webhook.connections)
}

/// Rejects a URL that events can't be sent to.
fn check_address(context: &Context, url: &str) -> Result<url::Url> {
    check_url(
        url,
        &context.products.private_hosts,
        &context.products.configured_hosts,
    )
}

/// Rejects filters that could never match an event.
fn check_events(events: &[String]) -> Result<()> {
    let filter = EventFilter {
        types: events.to_vec(),
        ..EventFilter::default()
    };
    filter.check().map_err(|error| {
        let message = error.violation_list().first().map_or_else(
            || error.message().to_owned(),
            |violation| violation.message.clone(),
        );
        Error::invalid_at("/events", message)
    })
}

fn check_description(description: Option<&str>) -> Result<()> {
    let good = description
        .is_none_or(|text| text.chars().count() <= 200 && !text.chars().any(char::is_control));
    if good {
        return Ok(());
    }
    Err(Error::invalid_at(
        "/description",
        "a description has at most 200 characters and no control characters",
    ))
}

/// A new secret of 256 bits, encrypted and as shown once.
fn new_secret(
    context: &Context,
    id: WebhookId,
    generation: u64,
) -> Result<(Sealed<place::WebhookSecret>, SecretString)> {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let mut bytes = zeroize::Zeroizing::new([0; 32]);
    context.host.entropy.fill(bytes.as_mut_slice());
    let place = place::WebhookSecret(id, generation);
    let sealed = context.store.vault.seal(&place, bytes.as_slice())?;
    let text = zeroize::Zeroizing::new(STANDARD.encode(bytes.as_slice()));
    Ok((sealed, SecretString::from(format!("whsec_{}", &*text))))
}
