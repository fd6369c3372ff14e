//! Gives a webhook a new secret; the one before signs as well for a day.

use super::{existing, new_secret, read::shown};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::NewEvent,
    resource::{RotateWebhookSecret, WebhookWithSecret},
};

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
