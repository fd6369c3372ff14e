//! Deletes a webhook with its deliveries.

use super::existing;
use crate::{
    Result,
    context::{Context, change::Change},
    domain::NewEvent,
    resource::DeleteWebhook,
    store::Records,
};

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
