//! Reads the history of calls.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};

use crate::{
    Error, ErrorKind, Result,
    context::Context,
    domain::{
        Execution, Totals,
        totals::{BOUNDS, Step},
    },
    identifier::ExecutionId,
    resource::{
        CallDurations, CallTotals, CountExecutions, ExecutionRecord, ListExecutions, Page,
        ReadExecution, TotalsSpan, TotalsStep,
    },
    store::{Place, Search},
};

/// Matching executions, newest first. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(context: &Context, list: ListExecutions) -> Result<Page<ExecutionRecord>> {
    let filter = list.filter;
    let search = Search {
        connection_name: filter.connection_name,
        identifier: filter.identifier,
        tool: filter.tool,
        outcome: filter.outcome,
        actor: filter.actor,
        since: filter.since,
        before: filter.before,
    };
    let position = list.page.token.as_deref().map(position).transpose()?;
    let limit = list.page.limit() as usize;
    let ends_at = context.host.monotonic() + LONGEST;
    let is_enough = || context.host.monotonic() >= ends_at;
    let found = context
        .store
        .executions(&search, position, limit, is_enough);
    let (found, next) = found.await?;
    let seen = |call: &Execution| context.caller.sees(&call.connection_name);
    let items = found
        .into_iter()
        .filter(seen)
        .map(Execution::shown)
        .collect();
    Ok(Page::new(items, next.map(token)))
}

/// A search that takes longer than this ends its page. The next page continues.
const LONGEST: Duration = Duration::from_millis(100);
/// Maximum difference between the start of a call and the time in its ID.
const NEAR: SignedDuration = SignedDuration::from_secs(1);

/// One call, found by the time in its ID.
pub(crate) async fn read(context: &Context, read: ReadExecution) -> Result<ExecutionRecord> {
    let id = read.execution_id.as_str();
    let missing = || {
        Error::new(
            ErrorKind::NotFound,
            "no execution has this id; it may be older than the retention period",
        )
    };
    let id: ExecutionId = id.parse().map_err(|_| missing())?;
    let (seconds, nanoseconds) = id.uuid().get_timestamp().ok_or_else(missing)?.to_unix();
    let seconds = i64::try_from(seconds).map_err(|_| missing())?;
    let nanoseconds = i32::try_from(nanoseconds).unwrap_or_default();
    let made = Timestamp::new(seconds, nanoseconds).map_err(|_| missing())?;
    let search = Search {
        since: made.checked_sub(NEAR).ok(),
        before: made.checked_add(NEAR).ok(),
        ..Search::default()
    };
    let mut position = None;
    loop {
        let page = context.store.executions(&search, position, 100, || false);
        let (found, next) = page.await?;
        if let Some(call) = found.into_iter().find(|call| call.id == id) {
            let seen = context.caller.sees(&call.connection_name);
            return seen.then(|| call.shown()).ok_or_else(missing);
        }
        position = Some(next.ok_or_else(missing)?);
    }
}

fn token(place: Place) -> String {
    format!("{}.{}", place.at.as_nanosecond(), place.id)
}

fn position(token: &str) -> Result<Place> {
    let read = || {
        let (at, id) = token.split_once('.')?;
        let at = Timestamp::from_nanosecond(at.parse().ok()?).ok()?;
        let id = id.parse().ok()?;
        Some(Place { at, id })
    };
    read().ok_or_else(|| {
        Error::new(
            ErrorKind::InvalidRequest,
            "this isn't a page token of this list; use next_page_token of the previous page",
        )
    })
}

/// Rows that are read together.
const READ: u32 = 500;

/// Size of the history in bytes.
pub(crate) async fn history_bytes(context: &Context) -> Result<u64> {
    // Parts are read while others change, so their sum can be negative.
    let bytes = context.store.history_bytes().await?;
    Ok(u64::try_from(bytes).unwrap_or_default())
}

/// Totals of the minutes and hours that start in a time range, oldest first.
pub(crate) async fn by_process(
    context: &Context,
    since: Timestamp,
    before: Timestamp,
) -> Result<Vec<CallTotals>> {
    let mut all = Vec::new();
    for step in [Step::Hour, Step::Minute] {
        let mut after = None;
        loop {
            let page = context
                .store
                .totals(step, &(since..before), after, READ)
                .await?;
            after = page.last().map(|last| last.row.clone());
            let last = page.len() < READ as usize;
            let seen = |row: &CallTotals| context.caller.sees(&row.connection_name);
            all.extend(
                page.into_iter()
                    .flat_map(|found| rows(found.row))
                    .filter(seen),
            );
            if last {
                break;
            }
        }
    }
    Ok(all)
}

/// The same for all processes together, by minute or by hour.
pub(crate) async fn totals(context: &Context, count: CountExecutions) -> Result<Page<CallTotals>> {
    let TotalsSpan { since, before, by } = count.span;
    let step = by.unwrap_or_default();
    // The default length and the longest.
    let (usual, most) = match step {
        TotalsStep::Hour => (SignedDuration::from_hours(24), 31 * 24),
        TotalsStep::Minute => (SignedDuration::from_hours(1), 24),
    };
    let before = before.unwrap_or_else(|| context.host.now());
    let since = since.unwrap_or_else(|| before.checked_sub(usual).unwrap_or(before));
    if before.duration_since(since) > SignedDuration::from_hours(most) {
        let by = step.name();
        let message = format!("per {by}, a request can cover at most {most} hours");
        return Err(Error::invalid_at("/since", message));
    }
    let mut all = BTreeMap::new();
    for row in by_process(context, since, before).await? {
        let (start, seconds) = match step {
            TotalsStep::Minute => (row.start, row.seconds),
            TotalsStep::Hour => (Step::Hour.start(row.start), 3_600),
        };
        let row = CallTotals {
            start,
            seconds,
            process: String::new(),
            ..row
        };
        let names = (
            row.connection_name.clone(),
            row.tool.clone(),
            row.outcome.clone(),
        );
        match all.entry((start, seconds, names)) {
            Entry::Vacant(first) => drop(first.insert(row)),
            Entry::Occupied(mut sum) => add(sum.get_mut(), &row),
        }
    }
    Ok(Page::new(all.into_values().collect(), None))
}

fn add(sum: &mut CallTotals, row: &CallTotals) {
    sum.calls += row.calls;
    sum.duration_micros += row.duration_micros;
    for (sum, row) in sum.durations.iter_mut().zip(&row.durations) {
        sum.calls += row.calls;
    }
}

fn rows(totals: Totals) -> impl Iterator<Item = CallTotals> {
    let (start, process) = (totals.start, totals.process);
    let seconds = u32::try_from(totals.step.seconds()).unwrap_or_default();
    totals.counts.into_iter().map(move |(names, count)| {
        let bounds = BOUNDS.into_iter().map(Some).chain([None]);
        let durations = bounds.zip(count.durations);
        let durations = durations.map(|(below_millis, calls)| CallDurations {
            below_millis,
            calls,
        });
        let (connection_name, tool, outcome) = names;
        CallTotals {
            start,
            seconds,
            process: process.clone(),
            connection_name,
            tool,
            outcome,
            calls: count.calls(),
            duration_micros: count.micros,
            durations: durations.collect(),
        }
    })
}

#[cfg(test)]
mod tests;
