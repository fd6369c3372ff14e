//! Gives back the lanes that this process has: another one need not wait for the end of their leases.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::webhook::Lane,
    identifier::WebhookId,
};

/// Where the store does not take it, the lease ends by itself.
pub(crate) async fn give_back(context: &Context) {
    for id in context.webhook_lanes.ids() {
        if let Err(error) = free(context, id).await {
            tracing::debug!(webhook = %id, kind = %error.kind(), "couldn't release a delivery queue");
        }
    }
}

async fn free(context: &Context, id: WebhookId) -> Result<()> {
    let process = context.process.to_string();
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
