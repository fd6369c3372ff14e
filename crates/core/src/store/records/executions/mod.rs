//! The history of calls: executions in groups, their totals, and their size.

use std::{collections::BinaryHeap, ops::Range};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Found, Listed, Records, Rewritten,
    group::{EXECUTION_LOG, ExecutionGroup, SPAN},
    integer, text,
};
use crate::{
    Result,
    domain::{Execution, Extra, Totals, totals::Step},
    identifier::ExecutionId,
    store::{Batch, Commit, Index, Key, List, Record, Table, Value, Versioned},
};

/// Executions as the first version stored them, one per row. New ones aren't added, and maintenance moves old ones to
/// groups.
pub(super) static EXECUTION: Table = Table {
    name: "execution",
    columns: &[text("id"), integer("started_at")],
    key: Index::unique(&["id"]),
    indexes: &[EXECUTIONS_BY_START],
    sealed: false,
};
pub(super) const EXECUTIONS_BY_START: Index = Index::of(&["started_at"]);

impl Record for Execution {
    const TABLE: &'static Table = &EXECUTION;
    fn values(&self) -> Vec<Value> {
        vec![Value::text(self.id), Value::moment(self.started_at)]
    }
}

/// `step` is the period of a row in seconds.
pub(super) static CALL_TOTAL: Table = Table {
    name: "call_total",
    columns: &[integer("step"), integer("start"), text("process")],
    key: Index::unique(&["step", "start", "process"]),
    indexes: &[],
    sealed: false,
};

impl Totals {
    pub(crate) fn key(&self) -> Key {
        Key::new(&CALL_TOTAL, self.values())
    }
}
impl Rewritten for Totals {}
impl Record for Totals {
    const TABLE: &'static Table = &CALL_TOTAL;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![
            Value::Integer(self.step.seconds()),
            Value::moment(self.start),
            Value::text(&self.process),
        ]
    }
}

pub(super) static HISTORY_SIZE: Table = Table {
    name: "history_size",
    columns: &[integer("part")],
    key: Index::unique(&["part"]),
    indexes: &[],
    sealed: false,
};

/// Number of parts in which the size is counted. Processes that write the same part conflict.
const PARTS: u8 = 16;

/// A part of the total size of the groups. Single parts can be negative; only their sum has a meaning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HistorySize {
    part: u8,
    bytes: i64,
    #[serde(flatten)]
    extra: Extra,
}

impl Rewritten for HistorySize {}
impl Record for HistorySize {
    const TABLE: &'static Table = &HISTORY_SIZE;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::Integer(self.part.into())]
    }
}

/// Filters for executions. An execution has to match all of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    pub(crate) connection_name: Option<String>,
    pub(crate) identifier: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) outcome: Option<String>,
    pub(crate) actor: Option<String>,
    /// Only those that started at this time or later.
    pub(crate) since: Option<Timestamp>,
    /// Only those that started before this time.
    pub(crate) before: Option<Timestamp>,
}

impl Search {
    fn matches(&self, call: &Execution) -> bool {
        fn is(asked: Option<&String>, found: &str) -> bool {
            asked.is_none_or(|asked| asked == found)
        }
        is(self.connection_name.as_ref(), &call.connection_name)
            && is(self.identifier.as_ref(), &call.identifier)
            && is(self.tool.as_ref(), &call.tool)
            && is(self.outcome.as_ref(), &call.outcome)
            && self.actor.as_ref().is_none_or(|actor| acted(actor, call))
            && self.since.is_none_or(|since| call.started_at >= since)
            && self.before.is_none_or(|before| call.started_at < before)
    }
}

/// Whether this application made the call, also with one of its account tokens, or whether this token did.
fn acted(actor: &str, call: &Execution) -> bool {
    let found = call.actor.as_deref().unwrap_or_default();
    let (maker, token) = found.split_once('/').unwrap_or((found, ""));
    actor == found || actor == maker || !token.is_empty() && actor == token
}

/// End of a page of executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// Groups that end later have none of the following executions.
    pub(crate) until: Timestamp,
    /// The following executions are older than this.
    pub(crate) after: (Timestamp, ExecutionId),
}

/// The kinds of groups: whether they are kept longer, and whether they are full.
pub(crate) const KINDS: [(bool, bool); 4] =
    [(false, false), (false, true), (true, false), (true, true)];
/// Number of groups of a kind to read together.
const READ: u32 = 4;
/// Maximum number of groups that one page reads to find matches. That takes about 40 ms of one core.
const READ_AT_MOST: usize = 100;

/// The groups of one kind, latest first, read in small batches.
struct Reading {
    list: List,
    read: std::vec::IntoIter<Versioned<ExecutionGroup>>,
    next: Option<ExecutionGroup>,
    more: bool,
}

impl Reading {
    /// When the next group ends.
    fn until(&self) -> Option<Timestamp> {
        self.next.as_ref().map(|group| group.until)
    }

    async fn advance(&mut self, records: &Records) -> Result<Option<ExecutionGroup>> {
        let present = self.next.take();
        loop {
            if let Some(group) = self.read.next() {
                self.next = Some(group.row);
                return Ok(present);
            }
            if !self.more {
                return Ok(present);
            }
            let page = records.list::<ExecutionGroup>(self.list.clone()).await?;
            self.more = page.len() == READ as usize;
            if let Some(last) = page.last() {
                let position = last.row.values().split_off(2);
                self.list = self.list.clone().after(Some(position));
            }
            self.read = page.into_iter();
        }
    }
}

/// A matching execution, with the end of its group. The newest one compares as greatest.
struct Candidate {
    until: Timestamp,
    call: Execution,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Candidate {}
impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.call.place().cmp(&other.call.place())
    }
}

/// The earliest possible end of a group after this time.
fn just_after(moment: Timestamp) -> Timestamp {
    let next = moment.checked_add(SignedDuration::from_nanos(1));
    next.unwrap_or(moment)
}

impl Records {
    /// Matching executions, newest first, and where the next page starts. There may be fewer than `limit` even if more
    /// follow.
    pub(crate) async fn executions(
        &self,
        search: &Search,
        position: Option<Position>,
        limit: usize,
    ) -> Result<(Vec<Execution>, Option<Position>)> {
        // A group that ends after `before` can still begin before it, by at most its span.
        let end = match (position, search.before) {
            (Some(position), _) => just_after(position.until),
            (None, Some(before)) => before.checked_add(SPAN).unwrap_or(Timestamp::MAX),
            (None, None) => Timestamp::MAX,
        };
        let mut kinds = Vec::new();
        for (lasts, full) in KINDS {
            let mut reading = Reading {
                list: log(lasts, full, end).descending().limit(READ),
                read: Vec::new().into_iter(),
                next: None,
                more: true,
            };
            reading.advance(self).await?;
            kinds.push(reading);
        }
        let (mut found, mut candidates) = (Vec::new(), BinaryHeap::<Candidate>::new());
        let mut groups = 0;
        loop {
            let latest = kinds.iter_mut().max_by_key(|reading| reading.until());
            let latest = latest.filter(|reading| reading.until() >= search.since);
            let unread = latest.as_ref().and_then(|reading| reading.until());
            // No unread group has a newer one.
            let is_next = |candidate: &Candidate| Some(candidate.call.started_at) > unread;
            while found.len() < limit && candidates.peek().is_some_and(is_next) {
                found.extend(candidates.pop().map(|candidate| candidate.call));
            }
            let open = candidates.iter().map(|candidate| candidate.until).max();
            let Some(until) = open.max(unread) else {
                return Ok((found, None));
            };
            // Stops only if this page makes progress. Otherwise, every page would read the same candidates again.
            let tired = groups >= READ_AT_MOST && (candidates.is_empty() || !found.is_empty());
            if found.len() == limit || tired {
                let newest = (Timestamp::MAX, ExecutionId::from_uuid(Uuid::max()));
                let last = found.last().map(Execution::place);
                let after = last
                    .or(position.map(|position| position.after))
                    .unwrap_or(newest);
                return Ok((found, Some(Position { until, after })));
            }
            let Some(reading) = latest else {
                continue;
            };
            groups += 1;
            if let Some(group) = reading.advance(self).await? {
                match group.unpack() {
                    Ok(calls) => candidates.extend(
                        calls
                            .into_iter()
                            .filter(|call| search.matches(call))
                            .filter(|call| position.is_none_or(|one| call.place() < one.after))
                            .map(|call| Candidate {
                                until: group.until,
                                call,
                            }),
                    ),
                    Err(error) => tracing::warn!(%error, "skipped a row that can't be read"),
                }
            }
        }
    }

    /// Groups of a kind that end before `end`, oldest first.
    pub(crate) async fn groups(
        &self,
        lasts: bool,
        full: bool,
        end: Timestamp,
        limit: u32,
    ) -> Listed<ExecutionGroup> {
        self.list(log(lasts, full, end).limit(limit)).await
    }

    /// Whether a group was stored.
    pub(crate) async fn has_group(&self, group: &ExecutionGroup) -> Result<bool> {
        Ok(self.get::<ExecutionGroup>(group.key()).await?.is_some())
    }

    /// Executions in the first version's format, oldest first.
    pub(crate) async fn first_form(&self, limit: u32) -> Listed<Execution> {
        self.list(List::new(&EXECUTION, EXECUTIONS_BY_START).limit(limit))
            .await
    }

    /// The totals of a process's minute, or of an hour.
    pub(crate) async fn totals_of(&self, totals: &Totals) -> Found<Totals> {
        self.get(totals.key()).await
    }

    /// Totals of a step that start in a time range, oldest first, after `after`.
    pub(crate) async fn totals(
        &self,
        step: Step,
        range: &Range<Timestamp>,
        after: Option<Totals>,
        limit: u32,
    ) -> Listed<Totals> {
        let list = List::new(&CALL_TOTAL, CALL_TOTAL.key).prefix([Value::Integer(step.seconds())]);
        let first = range.start.checked_sub(SignedDuration::from_nanos(1));
        let first = first
            .ok()
            .map(|first| vec![Value::moment(first), Value::text("")]);
        let after = after.map(|after| after.values().split_off(1));
        self.list(
            list.after(after.or(first))
                .below(Value::moment(range.end))
                .limit(limit),
        )
        .await
    }

    /// Total size of the groups in bytes.
    pub(crate) async fn history_bytes(&self) -> Result<i64> {
        let parts = self
            .list::<HistorySize>(List::new(&HISTORY_SIZE, HISTORY_SIZE.key))
            .await?;
        Ok(parts.iter().map(|part| part.row.bytes).sum())
    }

    /// Commits a batch that adds or removes groups, and updates their size. `process` selects the part to update.
    pub(crate) async fn commit_groups(
        &self,
        process: Uuid,
        mut batch: Batch,
        come: &[ExecutionGroup],
        go: &[Versioned<ExecutionGroup>],
    ) -> Result<Commit> {
        let part = process
            .as_bytes()
            .iter()
            .fold(0_u8, |sum, byte| sum.wrapping_add(*byte))
            % PARTS;
        let more: i64 = come.iter().map(ExecutionGroup::bytes).sum();
        let less: i64 = go.iter().map(|group| group.row.bytes()).sum();
        for group in go {
            batch = batch.delete(group.row.key(), group.version);
        }
        batch = come.iter().cloned().fold(batch, Batch::insert);
        let key = Key::new(&HISTORY_SIZE, vec![Value::Integer(part.into())]);
        batch = match self.get::<HistorySize>(key).await? {
            Some(mut found) => {
                found.row.bytes += more - less;
                batch.update(found.row, found.version)
            }
            None => batch.insert(HistorySize {
                part,
                bytes: more - less,
                extra: Extra::default(),
            }),
        };
        self.commit(batch).await
    }
}

/// Groups of a kind that end before a time.
fn log(lasts: bool, full: bool, end: Timestamp) -> List {
    let kind = [Value::flag(lasts), Value::flag(full)];
    List::new(&EXECUTION_LOG, EXECUTION_LOG.key)
        .prefix(kind)
        .below(Value::moment(end))
}

#[cfg(test)]
mod tests;
