//! Seals everything again in the background.

use std::sync::{MutexGuard, PoisonError};

use super::reencrypt;
use crate::{Result, context::Context, resource::Reencryption};

/// Starts to seal everything again with the active data key, unless this process is at it already; returns how far it is.
/// A shutdown does not wait for it: the next one goes on.
pub(crate) fn start_reencrypt(context: &Context) -> Result<Reencryption> {
    context.tasks.open()?;
    let mut reached = lock(context);
    if let Some(running) = reached.as_ref().filter(|reached| reached.running) {
        return Ok(running.clone());
    }
    let started = Reencryption {
        running: true,
        ..Reencryption::default()
    };
    *reached = Some(started.clone());
    drop(reached);
    let context = context.clone();
    let runtime = context.runtime.clone();
    runtime.spawn(Box::pin(async move {
        let work = reencrypt(&context, |now| note(&context, now.clone(), true));
        match context.tasks.unless_cut(work).await {
            Some(Ok(last)) => note(&context, last, false),
            Some(Err(error)) => stop(&context, error.message()),
            None => stop(&context, "the process was shut down"),
        }
    }));
    Ok(started)
}

/// How far the one that this process does, or did last, has come.
pub(super) fn reached(context: &Context) -> Option<Reencryption> {
    lock(context).clone()
}

fn note(context: &Context, now: Reencryption, running: bool) {
    *lock(context) = Some(Reencryption { running, ..now });
}

fn stop(context: &Context, why: &str) {
    if let Some(reached) = lock(context).as_mut() {
        reached.running = false;
        reached.stopped = Some(why.to_owned());
    }
}

fn lock(context: &Context) -> MutexGuard<'_, Option<Reencryption>> {
    let reached = context.reencryption.lock();
    reached.unwrap_or_else(PoisonError::into_inner)
}
