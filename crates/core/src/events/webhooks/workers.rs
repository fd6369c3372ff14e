//! Workers that deliver, and give work back when a process ends.

use std::{pin::pin, time::Duration};

use futures_util::future::{Either, select};

use super::lane::round;
use crate::{
    Result,
    context::{Context, change::Change},
    domain::webhook::Lane,
    identifier::WebhookId,
};

/// How often queues are checked, while there are webhooks and while there are none.
const SOME: Duration = Duration::from_secs(1);
const NONE: Duration = Duration::from_secs(30);
/// How long to wait for more events, to send them together.
const GATHER: Duration = Duration::from_millis(50);
/// Webhooks that are read together.
const PAGE: u32 = 100;

/// Starts the checks. They end with the context.
pub(crate) fn start(context: &Context) {
    let weak = context.downgrade();
    let mut committed = context.store.feed.watch();
    // The first check comes soon, for events from before this process started.
    let mut pause = context.host.runtime.sleep(GATHER);
    context.host.runtime.spawn(Box::pin(async move {
        loop {
            // If the feed has no sender, its context was dropped.
            if let Either::Left((Err(_), _)) = select(pin!(committed.changed()), &mut pause).await {
                return;
            }
            let Some(context) = weak.upgrade() else {
                return;
            };
            if context.host.tasks.open().is_err() {
                return;
            }
            let some = wake_all(&context).await.unwrap_or(true);
            let gather = context.host.runtime.sleep(GATHER);
            pause = context.host.runtime.sleep(if some { SOME } else { NONE });
            drop(context);
            gather.await;
        }
    }));
}

/// Wakes the queues of all enabled webhooks. Returns whether there are any.
async fn wake_all(context: &Context) -> Result<bool> {
    let webhooks = context.store.webhooks(None, PAGE).await?;
    for found in &webhooks {
        if found.row.disabled.is_none() {
            wake(context, found.row.id);
        }
    }
    Ok(!webhooks.is_empty())
}

/// Works on a queue in the background until nothing is left to do now. Other queues don't wait for it.
fn wake(context: &Context, id: WebhookId) {
    let queue = context.workers.webhook_lanes.of(id);
    if !queue.ask() {
        return;
    }
    let guard = context.host.tasks.begin();
    let worker = context.clone();
    context.host.runtime.spawn(Box::pin(async move {
        loop {
            let more = match round(&worker, id).await {
                Ok(more) => more && worker.host.tasks.open().is_ok(),
                // The store may be closed when the context ends; another process continues.
                Err(_) if worker.host.tasks.open().is_err() => false,
                Err(error) => {
                    tracing::warn!(webhook = %id, kind = %error.kind(), "couldn't process a webhook's deliveries");
                    false
                }
            };
            if !more && !queue.ask_again() {
                break;
            }
        }
        drop(guard);
    }));
}

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
