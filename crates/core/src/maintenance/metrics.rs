//! Metrics of an environment: its counters, and the size of its backlogs.

use std::{pin::pin, time::Duration};

use futures_util::future::{Either, select};
use jiff::Timestamp;

use super::examine::{made, outbox};
use crate::{Result, context::Context, metrics::Family};

/// Maximum number of rows of a backlog to look at.
const ROWS: u32 = 1_000;
/// How long to wait for the store.
const PATIENCE: Duration = Duration::from_secs(1);

/// Work that waits in the store, which any server can do.
struct Backlog {
    outbox: (usize, Duration),
    deliveries: (usize, Duration),
}

/// All counters, and the size of the backlogs. Omits what the store doesn't return in time.
pub(crate) async fn metrics(context: &Context) -> Vec<Family> {
    let patience = context.host.runtime.sleep(PATIENCE);
    let backlog = match select(pin!(backlog(context)), patience).await {
        Either::Left((Ok(backlog), _)) => Some(backlog),
        Either::Left((Err(_), _)) | Either::Right(_) => None,
    };
    let mut all = context.host.metrics.families();
    let (calls, bytes) = context.limits.bulkheads.in_flight();
    all.extend([
        Family::gauge("stead_calls_in_flight", "Calls that are running.").number([], calls as f64),
        Family::gauge("stead_calls_held_bytes", "Bytes that calls hold in memory.")
            .number([], bytes as f64),
        Family::gauge(
            "stead_records_waiting",
            "Records of calls that aren't written to the store yet.",
        )
        .number([], context.history.recorder.waiting_count() as f64),
    ]);
    if let Some(backlog) = backlog {
        let waiting = Family::gauge(
            "stead_backlog",
            "Pending rows in the store: revocations at products and webhook deliveries. At most 1000. All servers of one store report the same value.",
        );
        let age = Family::gauge(
            "stead_backlog_age_seconds",
            "Age of the oldest pending row, or 0 if no row is pending.",
        );
        let (outbox, webhooks) = ([("queue", "outbox")], [("queue", "webhooks")]);
        all.extend([
            waiting
                .number(outbox, backlog.outbox.0 as f64)
                .number(webhooks, backlog.deliveries.0 as f64),
            age.number(outbox, backlog.outbox.1.as_secs_f64())
                .number(webhooks, backlog.deliveries.1.as_secs_f64()),
        ]);
    }
    all
}

async fn backlog(context: &Context) -> Result<Backlog> {
    let outbox = outbox(context).await?;
    let deliveries = context.store.all_waiting_deliveries(ROWS).await?;
    let oldest = deliveries
        .iter()
        .filter_map(|found| made(found.row.event_id.uuid()))
        .min();
    let age = |since: Timestamp| context.host.now().duration_since(since);
    let whole = |age: Option<jiff::SignedDuration>| {
        age.and_then(|age| age.try_into().ok()).unwrap_or_default()
    };
    Ok(Backlog {
        outbox: (outbox.entries, whole(outbox.age)),
        deliveries: (deliveries.len(), whole(oldest.map(age))),
    })
}
