//! Releases this process's delivery queues, so that another process doesn't need to wait for their leases to expire.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::webhook::Lane,
    identifier::WebhookId,
};

/// If the store doesn't accept this, the leases expire later.
pub(crate) async fn give_back(context: &Context) {
    for id in context.workers.webhook_lanes.ids() {
        if let Err(error) = free(context, id).await {
            tracing::debug!(webhook = %id, kind = %error.kind(), "couldn't release a delivery queue");
        }
    }
}

async fn free(context: &Context, id: WebhookId) -> Result<()> {
    let process = context.host.process.to_string();
    let is_ours = |lane: &Lane| {
        let holder = lane.holder.as_ref();
        holder.is_some_and(|holder| holder.process == process)
    };
    context
        .change(
            "webhook.give_back",
            || context.store.lane(id),
            |lane| {
                let change = match lane {
                    Some(lane) if is_ours(&lane.row) => {
                        let free = Lane {
                            holder: None,
                            ..lane.row
                        };
                        Change::none().update(free, lane.version)
                    }
                    _ => Change::none(),
                };
                Ok((change, ()))
            },
        )
        .await
}
