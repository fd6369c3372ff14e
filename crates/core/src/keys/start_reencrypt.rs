//! Re-encrypts everything in the background.

use std::sync::atomic::Ordering;

use super::reencrypt::{give_back, reencrypt_all};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::ReencryptionJob,
    resource::{ReencryptAll, Reencryption},
};

/// Starts to re-encrypt everything with the active data key, unless a process is already doing it. Returns the
/// progress. A shutdown doesn't wait for the job, because another process continues it.
pub(crate) async fn reencrypt(context: &Context, _: ReencryptAll) -> Result<Reencryption> {
    context.host.tasks.open()?;
    let reached = context
        .change(
            "keys.reencrypt_start",
            || context.store.reencryption_job(),
            |found| {
                let (row, version) = found.map(|found| (found.row, found.version)).unzip();
                if let Some(row) = row.as_ref().filter(|row| row.reached.running) {
                    return Ok((Change::none(), row.reached.clone().shown()));
                }
                let new = ReencryptionJob::new(row);
                let reached = new.reached.clone().shown();
                Ok(match version {
                    Some(version) => (Change::none().update(new, version), reached),
                    None => (Change::none().insert(new), reached),
                })
            },
        )
        .await?;
    in_background(context);
    Ok(reached)
}

/// Continues the job of a process that has ended.
pub(crate) async fn continue_reencryption(context: &Context) -> Result<()> {
    let job = context.store.reencryption_job().await?;
    if job.is_some_and(|found| found.row.is_left(found.read_at)) {
        in_background(context);
    }
    Ok(())
}

fn in_background(context: &Context) {
    if context.workers.reencrypts.swap(true, Ordering::AcqRel) {
        return;
    }
    let context = context.clone();
    let runtime = context.host.runtime.clone();
    runtime.spawn(Box::pin(async move {
        let done = context
            .host
            .tasks
            .unless_cut(reencrypt_all(&context, |_| {}))
            .await;
        if let Some(Err(error)) = &done {
            tracing::warn!(kind = %error.kind(), "re-encryption isn't complete");
        }
        if let (None, Err(closed)) = (&done, context.host.tasks.open()) {
            give_back(&context, &closed).await;
        }
        context.workers.reencrypts.store(false, Ordering::Release);
    }));
}
