//! Keeps the history of calls small: what is old or too much goes, small rows are put together, minutes become hours.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{
    Result,
    catalogue::Catalogue,
    context::{Context, recorder::Written},
    domain::{Execution, Totals, totals::Step},
    store::{Batch, Commit, ExecutionGroup, KINDS, SPAN, Versioned},
    tool::{Effect, effect_of_method},
};

/// Rows of many calls that are read together.
const GROUPS: u32 = 50;
/// Rows that are packed again together: few, because all their calls are in memory at once.
const PACKED: u32 = 12;
/// Executions of the first form that are moved together.
const MOVED: u32 = 500;
/// Totals count minutes for so long, and hours from then on.
const MINUTES: SignedDuration = SignedDuration::from_hours(7 * 24);
const HOUR: Duration = Duration::from_secs(3_600);

type Groups = Vec<Versioned<ExecutionGroup>>;

/// Executions are kept that began at these moments or later: those that last, and those that only read.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) executions: Timestamp,
    pub(super) reads: Timestamp,
}

/// One round. A part that another process is doing at this moment waits for the next one.
pub(super) async fn run(context: &Context, kept: Kept) {
    let bytes = context.history.retention.bytes;
    for (what, done) in [
        ("moved", move_first_form(context, kept).await),
        ("removed by age", remove_old(context, kept).await),
        ("put together", put_together(context).await),
        ("removed by size", remove_beyond(context, bytes).await),
        ("counted by the hour", minutes_to_hours(context).await),
    ] {
        if let Err(error) = done {
            tracing::warn!(kind = %error.kind(), "the history couldn't be {what}");
        }
    }
}

/// Executions that an older Stead has stored one by one become groups, and are counted.
async fn move_first_form(context: &Context, kept: Kept) -> Result<()> {
    loop {
        let rows = context.store.first_form(MOVED).await?;
        let batch = rows.iter().fold(Batch::new(), |batch, found| {
            batch.delete(found.row.id, found.version)
        });
        let calls = rows.into_iter().map(|found| Execution {
            changes: changes(&context.products.catalogue, &found.row),
            ..found.row
        });
        let calls: Vec<_> = calls
            .filter(|call| call.started_at >= kept.executions)
            .collect();
        let count = batch.writes.len();
        if count == 0
            || Written::new(context, &calls)
                .commit(context, &batch)
                .await?
                == Commit::Conflict
        {
            return Ok(());
        }
        tracing::info!(count, "moved records that had the first format");
    }
}

/// What only reads is known by its tool or method; what is not known may have changed something.
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

async fn remove_old(context: &Context, kept: Kept) -> Result<()> {
    for (lasts, full) in KINDS {
        let end = if lasts { kept.executions } else { kept.reads };
        loop {
            let old = context.store.groups(lasts, full, end, GROUPS).await?;
            if old.is_empty() || replace(context, old, Vec::new()).await? == Commit::Conflict {
                break;
            }
        }
    }
    Ok(())
}

/// The oldest go until the others take no more than `most` bytes.
async fn remove_beyond(context: &Context, most: u64) -> Result<()> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut beyond = context.store.history_bytes().await?.saturating_sub(most);
    for (lasts, full) in [(false, true), (false, false), (true, true), (true, false)] {
        while beyond > 0 {
            let mut oldest = context
                .store
                .groups(lasts, full, Timestamp::MAX, GROUPS)
                .await?;
            let mut freed = 0;
            oldest.retain(|group| {
                let goes = freed < beyond;
                freed += if goes { group.row.bytes() } else { 0 };
                goes
            });
            if oldest.is_empty() {
                break;
            }
            if replace(context, oldest, Vec::new()).await? == Commit::Conflict {
                return Ok(());
            }
            beyond -= freed;
        }
    }
    Ok(())
}

/// Groups that are not full are packed again with their neighbours. The last one stays open for what is still to come.
async fn put_together(context: &Context) -> Result<()> {
    let young = context
        .host
        .now()
        .checked_sub(SPAN)
        .unwrap_or(Timestamp::MIN);
    for lasts in [false, true] {
        loop {
            let open = context
                .store
                .groups(lasts, false, Timestamp::MAX, PACKED)
                .await?;
            let last = open.len() < PACKED as usize;
            let is_old = |group: &ExecutionGroup| group.until < young;
            if open.len() < 2 && !open.iter().any(|group| is_old(&group.row)) {
                break;
            }
            let mut calls = Vec::new();
            for group in &open {
                calls.extend(group.row.unpack()?);
            }
            let mut packed = ExecutionGroup::pack(&calls, || context.host.new_id());
            for group in &mut packed {
                group.full |= is_old(group);
            }
            if replace(context, open, packed).await? == Commit::Conflict || last {
                break;
            }
        }
    }
    Ok(())
}

async fn replace(context: &Context, go: Groups, come: Vec<ExecutionGroup>) -> Result<Commit> {
    context
        .store
        .commit_groups(context.host.process, Batch::new(), &come, &go)
        .await
}

/// The minutes of all processes become hours of all.
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
