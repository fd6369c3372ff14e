//! Keeps the history of calls small. Removes old calls, and the oldest if there are too many, and merges totals of
//! minutes into hours. Also moves calls that an older version stored.

use std::{collections::BTreeMap, ops::Range, time::Duration};

use jiff::{SignedDuration, Timestamp};

use crate::{
    Result,
    catalogue::Catalogue,
    context::{Context, recorder::Written},
    domain::{Execution, Totals, totals::Step},
    store::{Batch, CALL_BYTES, Commit, Versioned},
    tool::{Effect, effect_of_method},
};

/// Calls that are removed together: few enough that the writing of others doesn't wait long.
const REMOVED: u32 = 5_000;
/// Rows of several calls that are moved together. Each has up to 500 calls.
const GROUPS: u32 = 4;
/// Number of executions in the first format, or of minutes, that are read together.
const MOVED: u32 = 500;
/// Totals are per minute for this long. After that, they are per hour.
const MINUTES: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Calls of this period are removed together, so that no statement takes long.
const PERIOD: SignedDuration = SignedDuration::from_hours(6);
/// Calls are recorded this long after their start. If one takes longer, it's removed with the calls that last.
const LATE: SignedDuration = SignedDuration::from_hours(1);
/// Conflicts with other processes before the next round continues.
const CONFLICTS: u32 = 20;
const HOUR: Duration = Duration::from_secs(3_600);

/// The earliest start times of the executions to keep. Those that only read have a time of their own. The other time is
/// for those that changed something or failed.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) executions: Timestamp,
    pub(super) reads: Timestamp,
}

/// Runs one round. If another process is doing a part right now, this one leaves that part to the next round.
pub(super) async fn run(context: &Context, kept: Kept) {
    let bytes = context.history.retention.bytes;
    for (what, done) in [
        ("removed by age", remove_old(context, kept).await),
        ("removed by size", remove_beyond(context, bytes).await),
        ("counted by the hour", minutes_to_hours(context).await),
    ] {
        warn(context, what, done);
    }
}

/// Logs a failure. A store that closes while the process stops isn't worth a warning, because the next start continues.
fn warn(context: &Context, what: &str, done: Result<()>) {
    if context.host.tasks.open().is_err() {
        return;
    }
    if let Err(error) = done {
        tracing::warn!(kind = %error.kind(), "the history couldn't be {what}");
    }
}

/// Moves the calls that older versions stored.
pub(super) async fn move_older(context: &Context) {
    warn(context, "moved", move_first_form(context).await);
    warn(context, "moved", move_groups(context).await);
}

/// Moves and counts executions that the first version stored.
async fn move_first_form(context: &Context) -> Result<()> {
    let now = context.host.now();
    let oldest = now.checked_sub(context.history.retention.executions);
    let oldest = oldest.unwrap_or(Timestamp::MIN);
    loop {
        let rows = context.store.first_form(MOVED).await?;
        let batch = rows.iter().fold(Batch::new(), |batch, found| {
            batch.delete(found.row.id, found.version)
        });
        let calls = rows.into_iter().map(|found| Execution {
            changes: changes(&context.products.catalogue, &found.row),
            ..found.row
        });
        let calls: Vec<_> = calls.filter(|call| call.started_at >= oldest).collect();
        let count = batch.writes.len();
        if count == 0
            || Written::new(context, calls).commit(context, &batch).await? == Commit::Conflict
        {
            return Ok(());
        }
        tracing::info!(count, "moved records that had the first format");
    }
}

/// Whether a call could change something, judged by its tool or method. An unknown tool counts as a change.
fn changes(catalogue: &Catalogue, call: &Execution) -> bool {
    let effect = match call.tool_version.parse() {
        Ok(method) if call.tool == "proxy" => Some(effect_of_method(&method)),
        _ => {
            let tool = catalogue.find(&call.tool, None, Some(&call.tool_version));
            tool.ok().map(|tool| tool.entry().effect())
        }
    };
    effect != Some(Effect::Read)
}

/// Gives each call that an older version stored in a group its own row. They were already counted.
async fn move_groups(context: &Context) -> Result<()> {
    let mut after = None;
    let mut conflicts = 0;
    loop {
        if context.host.tasks.open().is_err() {
            return Ok(());
        }
        let groups = context.store.groups(after.clone(), GROUPS).await?;
        let Some(last) = groups.last().map(|last| last.row.key()) else {
            return Ok(());
        };
        let (mut batch, mut calls, mut less) = (Batch::new(), BTreeMap::new(), 0);
        for Versioned { row, version, .. } in groups {
            match row.unpack() {
                Ok(some) => {
                    calls.extend(some.into_iter().map(|call| (call.place(), call)));
                    less += row.bytes();
                    batch = batch.delete(row.key(), version);
                }
                // Maintenance removes it when it's old.
                Err(error) => tracing::warn!(%error, "skipped a row that can't be read"),
            }
        }
        let mut calls: Vec<_> = calls.into_values().collect();
        if conflicts > 0 {
            // An older version may have stored a call in two rows.
            let mut new = Vec::new();
            for call in calls {
                if !context.store.has_call(&call).await? {
                    new.push(call);
                }
            }
            calls = new;
        }
        let by = (context.host.process, context.host.now());
        let known = &context.history.names;
        let moved = context
            .store
            .commit_calls(known, by, batch, &calls, less)
            .await?;
        match moved {
            Commit::Committed => {
                (after, conflicts) = (Some(last), 0);
                if !calls.is_empty() {
                    context.history.set_reads_removed(Timestamp::MIN);
                }
            }
            // Another process may be moving them too.
            Commit::Conflict if conflicts == CONFLICTS => return Ok(()),
            Commit::Conflict => conflicts += 1,
        }
    }
}

async fn remove_old(context: &Context, kept: Kept) -> Result<()> {
    let start = Timestamp::MIN;
    while remove(context, false, start..kept.executions, REMOVED).await? == u64::from(REMOVED) {}
    // Calls that are kept longer lie between the reads, so each period is searched only once.
    let first = context.store.first_call_at().await?;
    let removed = context.history.reads_removed();
    let mut start = first.unwrap_or(kept.reads).max(removed);
    while start < kept.reads {
        let end = start.checked_add(PERIOD).unwrap_or(kept.reads);
        let end = end.min(kept.reads);
        while remove(context, true, start..end, REMOVED).await? == u64::from(REMOVED) {}
        start = end;
        let late = end.checked_sub(LATE).unwrap_or(Timestamp::MIN);
        context.history.set_reads_removed(late);
    }
    Ok(())
}

async fn remove(
    context: &Context,
    only_reads: bool,
    period: Range<Timestamp>,
    limit: u32,
) -> Result<u64> {
    let process = context.host.process;
    context
        .store
        .remove_calls(process, only_reads, period, limit)
        .await
}

/// Removes the oldest calls until the others need at most `most` bytes. Those that only read go first.
async fn remove_beyond(context: &Context, most: u64) -> Result<()> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    for only_reads in [true, false] {
        loop {
            let beyond = context.store.history_bytes().await?.saturating_sub(most);
            let count = u32::try_from((beyond + CALL_BYTES - 1) / CALL_BYTES).unwrap_or(0);
            let count = count.min(REMOVED);
            let start = match only_reads {
                true => context.history.reads_removed(),
                false => Timestamp::MIN,
            };
            let period = start..Timestamp::MAX;
            if count == 0 || remove(context, only_reads, period, count).await? == 0 {
                break;
            }
        }
    }
    Ok(())
}

/// Merges the minutes of all processes into hours for all of them together.
async fn minutes_to_hours(context: &Context) -> Result<()> {
    let end = context
        .host
        .now()
        .checked_sub(MINUTES)
        .unwrap_or(Timestamp::MIN);
    let range = Timestamp::MIN..Step::Hour.start(end);
    loop {
        let mut minutes = context
            .store
            .totals(Step::Minute, &range, None, MOVED)
            .await?;
        let Some(first) = minutes.first() else {
            return Ok(());
        };
        let start = Step::Hour.start(first.row.start);
        let next = start.checked_add(HOUR).unwrap_or(Timestamp::MAX);
        minutes.retain(|minute| minute.row.start < next);
        let mut hour = Totals::new(Step::Hour, start, String::new());
        let mut batch = Batch::new();
        let stored = context.store.totals_of(&hour).await?;
        let version = stored.as_ref().map(|stored| stored.version);
        if let Some(stored) = stored {
            hour = stored.row;
        }
        for minute in minutes {
            hour.add(&minute.row);
            batch = batch.delete(minute.row.key(), minute.version);
        }
        batch = match version {
            Some(version) => batch.update(hour, version),
            None => batch.insert(hour),
        };
        if context.store.commit(batch).await? == Commit::Conflict {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
