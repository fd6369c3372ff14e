//! Wakes the lanes of all webhooks: at once after a commit with events, and from time to time for what other processes
//! have committed and for what waits.

use std::{pin::pin, time::Duration};

use futures_util::future::{Either, select};

use super::lane::round;
use crate::{Result, context::Context, identifier::WebhookId};

/// How often lanes are looked at, while there are webhooks and while there are none.
const SOME: Duration = Duration::from_secs(1);
const NONE: Duration = Duration::from_secs(30);
/// So long the next events are waited for, to send them together.
const GATHER: Duration = Duration::from_millis(50);
/// Webhooks that are read together.
const PAGE: u32 = 100;

/// Starts to look; it ends with the context.
pub(crate) fn start(context: &Context) {
    let weak = context.downgrade();
    let mut committed = context.feed.watch();
    // What waited for this process to start is looked for at once.
    let mut pause = context.runtime.sleep(GATHER);
    context.runtime.spawn(Box::pin(async move {
        loop {
            // A feed without a sender is one whose context is gone.
            if let Either::Left((Err(_), _)) = select(pin!(committed.changed()), &mut pause).await {
                return;
            }
            let Some(context) = weak.upgrade() else {
                return;
            };
            if context.tasks.open().is_err() {
                return;
            }
            let some = wake_all(&context).await.unwrap_or(true);
            let gather = context.runtime.sleep(GATHER);
            pause = context.runtime.sleep(if some { SOME } else { NONE });
            drop(context);
            gather.await;
        }
    }));
}

/// Wakes the lanes of all webhooks that are not disabled; whether there are any.
async fn wake_all(context: &Context) -> Result<bool> {
    let webhooks = context.store.webhooks(None, PAGE).await?;
    for found in &webhooks {
        if found.row.disabled.is_none() {
            wake(context, found.row.id);
        }
    }
    Ok(!webhooks.is_empty())
}

/// Works on a lane in the background until nothing is left to do now: no other lane waits for it.
fn wake(context: &Context, id: WebhookId) {
    let queue = context.webhook_lanes.of(id);
    if !queue.ask() {
        return;
    }
    let guard = context.tasks.begin();
    let worker = context.clone();
    context.runtime.spawn(Box::pin(async move {
        loop {
            let more = match round(&worker, id).await {
                Ok(more) => more && worker.tasks.open().is_ok(),
                // The store of a context that ends may be closed under it; another process goes on.
                Err(_) if worker.tasks.open().is_err() => false,
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
