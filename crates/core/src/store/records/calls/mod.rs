//! The history of calls: one row for each call, with numbers instead of names.

use std::ops::Range;

use foldhash::{HashMap, HashSet};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Records,
    call_names::{CallName, KnownNames, Name, NameKind, Numbers},
    integer, small,
};
use crate::{
    Result,
    domain::Execution,
    identifier::{AccountId, ExecutionId},
    store::{Batch, Commit, Index, Key, List, Record, Row, Table, Value},
    trace::TraceId,
};

/// `lasts` is 1 for calls that are [kept for the longer time](Execution::lasts). An ID takes 16 bytes, in two columns.
/// 0 means that a call has no actor, path, status or trace.
pub(super) static CALL: Table = Table {
    name: "call",
    columns: &[
        integer("at"),
        integer("id_high"),
        integer("id_low"),
        small("lasts"),
        small("tool"),
        small("connection"),
        small("user"),
        small("outcome"),
        small("actor"),
        small("path"),
        small("status"),
        small("requests"),
        integer("micros"),
        integer("trace_high"),
        integer("trace_low"),
    ],
    key: Index::unique(&["at", "id_high", "id_low"]),
    indexes: &[],
    sealed: false,
};

/// Approximate size of a row in bytes.
pub(crate) const CALL_BYTES: i64 = 120;
/// The first period that a search with a filter reads. Each further one is twice as long.
const FIRST_PERIOD: SignedDuration = SignedDuration::from_hours(1);

/// A call's row. Everything is in the columns, so the body is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallRow {
    #[serde(skip)]
    values: Vec<Value>,
}

impl Record for CallRow {
    const TABLE: &'static Table = &CALL;
    fn values(&self) -> Vec<Value> {
        self.values.clone()
    }
    fn stored(&mut self, row: &Row) {
        self.values.clone_from(&row.values);
    }
}

/// Splits 16 bytes into two integers that sort like the bytes.
fn halves(bytes: [u8; 16]) -> [Value; 2] {
    let number = u128::from_be_bytes(bytes) ^ SIGNS;
    [number >> 64, number & u128::from(u64::MAX)]
        .map(|half| Value::Integer((half as u64).cast_signed()))
}

/// The sign bits of both halves.
const SIGNS: u128 = 1 << 127 | 1 << 63;

fn bytes(high: i64, low: i64) -> [u8; 16] {
    let (high, low) = (high.cast_unsigned(), low.cast_unsigned());
    ((u128::from(high) << 64 | u128::from(low)) ^ SIGNS).to_be_bytes()
}

/// A place in the history, as values of the key's columns.
fn key(place: Place) -> Vec<Value> {
    let [high, low] = halves(place.id.uuid().into_bytes());
    vec![Value::moment(place.at), high, low]
}

impl CallRow {
    fn key(call: &Execution) -> Key {
        let (at, id) = call.place();
        Key::new(&CALL, key(Place { at, id }))
    }

    fn new(call: &Execution, names: &[Option<Name>; 6], numbers: &Numbers) -> Self {
        let mut values = Self::key(call).values;
        values.push(Value::flag(call.lasts()));
        values.extend(
            names
                .iter()
                .map(|name| Value::Integer(numbers.of(name.as_ref()))),
        );
        values.push(Value::Integer(call.product_status.unwrap_or(0).into()));
        let requests = i32::try_from(call.requests).unwrap_or(i32::MAX);
        values.push(Value::Integer(requests.into()));
        values.push(Value::count(call.duration_micros));
        values.extend(match call.trace_id {
            Some(id) => halves(id.to_bytes()),
            None => [Value::Integer(0), Value::Integer(0)],
        });
        Self { values }
    }

    fn integers(&self) -> Option<[i64; CALL.columns.len()]> {
        let mut integers = [0; CALL.columns.len()];
        for (integer, value) in integers.iter_mut().zip(&self.values) {
            match value {
                Value::Integer(found) => *integer = *found,
                _ => return None,
            }
        }
        Some(integers)
    }

    /// Numbers of its names, in the order of the columns. 0 if it has none.
    fn names(&self) -> [i64; 6] {
        let integers = self.integers().unwrap_or_default();
        std::array::from_fn(|one| integers[4 + one])
    }

    /// The call. `None` if a name is missing.
    fn call(&self, names: &HashMap<i64, CallName>) -> Option<Execution> {
        let [at, high, low, _lasts, rest @ ..] = self.integers()?;
        let [
            tool,
            connection,
            user,
            outcome,
            actor,
            path,
            status,
            requests,
            micros,
            trace @ ..,
        ] = rest;
        let optional = |number: i64| match number {
            0 => Some(None),
            _ => names.get(&number).map(Some),
        };
        let (tool, user) = (names.get(&tool)?, names.get(&user)?);
        let (changes, version) = tool.detail.split_at_checked(1)?;
        let (account, _) = user.detail.split_once('/')?;
        let actor = optional(actor)?.map(|actor| match actor.detail.as_str() {
            "" => actor.text.clone(),
            token => format!("{}/{token}", actor.text),
        });
        let account_id = match account {
            "" => None,
            account => Some(account.parse::<AccountId>().ok()?),
        };
        let trace = match trace {
            [0, 0] => None,
            [high, low] => TraceId::from_bytes(bytes(high, low)),
        };
        Some(Execution {
            id: ExecutionId::from_uuid(Uuid::from_bytes(bytes(high, low))),
            tool: tool.text.clone().into(),
            tool_version: version.to_owned().into(),
            changes: changes == "1",
            account_id,
            connection_name: names.get(&connection)?.text.clone(),
            identifier: user.text.clone(),
            actor,
            started_at: Timestamp::from_nanosecond(at.into()).ok()?,
            duration_micros: u64::try_from(micros).ok()?,
            outcome: names.get(&outcome)?.text.clone().into(),
            requests: u32::try_from(requests).ok()?,
            path: optional(path)?.map(|path| path.text.clone()),
            product_status: u16::try_from(status).ok().filter(|status| *status != 0),
            trace_id: trace,
        })
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

/// The end of a page: following executions are older.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: Timestamp,
    pub(crate) id: ExecutionId,
}

impl Records {
    /// Matching executions, newest first, and where the next page starts. `is_enough` is asked from time to time
    /// whether a long search should stop, so a page can be short even if more follow.
    pub(crate) async fn executions(
        &self,
        search: &Search,
        position: Option<Place>,
        limit: usize,
        is_enough: impl Fn() -> bool,
    ) -> Result<(Vec<Execution>, Option<Place>)> {
        let Some(only) = self.columns(search).await? else {
            return Ok((Vec::new(), None));
        };
        let since = search.since.unwrap_or(Timestamp::MIN);
        let mut top = position;
        let mut period = FIRST_PERIOD;
        let mut found = Vec::new();
        loop {
            let bottom = if only.is_empty() {
                since
            } else {
                let newest = self.call_rows(search.before, top, since, &[], 1).await?;
                let Some(newest) = newest.first().and_then(time_of) else {
                    return Ok((self.calls(found).await?, None));
                };
                newest.checked_sub(period).unwrap_or(since).max(since)
            };
            let left = limit.saturating_sub(found.len());
            let more = left.saturating_add(1);
            let rows = self.call_rows(search.before, top, bottom, &only, more);
            found.extend(rows.await?);
            if found.len() > limit {
                found.truncate(limit);
                let last = found.last().and_then(place_of).or(top);
                return Ok((self.calls(found).await?, last));
            }
            if bottom == since {
                return Ok((self.calls(found).await?, None));
            }
            // Before every call of this time.
            let id = ExecutionId::from_uuid(Uuid::nil());
            top = Some(Place { at: bottom, id });
            if is_enough() {
                return Ok((self.calls(found).await?, top));
            }
            period = period.saturating_add(period);
        }
    }

    /// Rows of a period, newest first.
    async fn call_rows(
        &self,
        before: Option<Timestamp>,
        top: Option<Place>,
        bottom: Timestamp,
        only: &[(&'static str, Vec<Value>)],
        limit: usize,
    ) -> Result<Vec<CallRow>> {
        let mut list = List::new(&CALL, CALL.key)
            .after(top.map(key))
            .at_least(Value::moment(bottom))
            .descending()
            .limit(u32::try_from(limit).unwrap_or(u32::MAX));
        for (column, numbers) in only {
            list = list.only(column, numbers.clone());
        }
        if let Some(before) = before {
            list = list.below(Value::moment(before));
        }
        let found = self.list::<CallRow>(list).await?;
        Ok(found.into_iter().map(|found| found.row).collect())
    }

    /// The calls of these rows.
    async fn calls(&self, rows: Vec<CallRow>) -> Result<Vec<Execution>> {
        let numbers: HashSet<i64> = rows.iter().flat_map(CallRow::names).collect();
        let names = self.names(numbers).await?;
        let calls = rows.iter().filter_map(|row| {
            let call = row.call(&names);
            if call.is_none() {
                tracing::warn!("skipped a call whose names can't be read");
            }
            call
        });
        Ok(calls.collect())
    }

    /// The values that a search allows in each column. `None` if no call can match.
    async fn columns(&self, search: &Search) -> Result<Option<Vec<(&'static str, Vec<Value>)>>> {
        let mut columns = Vec::new();
        for (column, kind, text) in [
            ("tool", NameKind::Tool, &search.tool),
            ("connection", NameKind::Connection, &search.connection_name),
            ("user", NameKind::User, &search.identifier),
            ("outcome", NameKind::Outcome, &search.outcome),
        ] {
            if let Some(text) = text {
                columns.push((column, self.matches(kind, Some(text), None).await?));
            }
        }
        // An application with all of its account tokens, one of them, or a token by its ID.
        if let Some(actor) = &search.actor {
            let (application, token) = match actor.split_once('/') {
                Some((application, token)) => (application, Some(token)),
                None => (actor.as_str(), None),
            };
            let kind = NameKind::Actor;
            let mut numbers = self.matches(kind, Some(application), token).await?;
            if token.is_none() && !actor.is_empty() {
                numbers.extend(self.matches(kind, None, Some(actor)).await?);
            }
            columns.push(("actor", numbers));
        }
        let can_match = columns.iter().all(|(_, numbers)| !numbers.is_empty());
        Ok(can_match.then_some(columns))
    }

    /// Adds calls to a batch and commits it. `less` is the size of other records that the batch deletes.
    pub(crate) async fn commit_calls(
        &self,
        known: &KnownNames,
        (process, now): (Uuid, Timestamp),
        batch: Batch,
        calls: &[Execution],
        less: i64,
    ) -> Result<Commit> {
        let named: Vec<_> = calls.iter().map(Name::all_of).collect();
        let mut names: HashMap<Name, Timestamp> = HashMap::default();
        for (call, own) in calls.iter().zip(&named) {
            for name in own.iter().flatten() {
                match names.get_mut(name) {
                    Some(first) => *first = (*first).min(call.started_at),
                    None => drop(names.insert(name.clone(), call.started_at)),
                }
            }
        }
        let (numbers, mut batch) = self.numbers(known, &names, now, batch).await?;
        let more = CALL_BYTES * i64::try_from(calls.len()).unwrap_or(i64::MAX / CALL_BYTES);
        if more != less {
            batch = self.sized(process, batch, more - less).await?;
        }
        for (call, names) in calls.iter().zip(&named) {
            batch = batch.insert(CallRow::new(call, names, &numbers));
        }
        let committed = self.commit(batch).await?;
        match committed {
            Commit::Committed => known.add(numbers),
            Commit::Conflict => known.clear(),
        }
        Ok(committed)
    }

    /// Whether a batch of calls was stored. Checks calls with the longer retention first, because others may already be
    /// removed.
    pub(crate) async fn has_calls(&self, calls: &[Execution]) -> Result<bool> {
        let lasting = calls.iter().rev().find(|call| call.lasts());
        for call in lasting.into_iter().chain(calls.first()).chain(calls.last()) {
            if self.has_call(call).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a call was stored.
    pub(crate) async fn has_call(&self, call: &Execution) -> Result<bool> {
        let key = CallRow::key(call);
        Ok(self.get::<CallRow>(key).await?.is_some())
    }

    /// When the first call started.
    pub(crate) async fn first_call_at(&self) -> Result<Option<Timestamp>> {
        let list = List::new(&CALL, CALL.key).limit(1);
        let first = self.list::<CallRow>(list).await?;
        Ok(first.first().and_then(|first| time_of(&first.row)))
    }

    /// Deletes calls that started in a period, oldest first: those that only read, or all. Returns how many.
    pub(crate) async fn remove_calls(
        &self,
        process: Uuid,
        only_reads: bool,
        period: Range<Timestamp>,
        limit: u32,
    ) -> Result<u64> {
        let mut list = List::new(&CALL, CALL.key)
            .at_least(Value::moment(period.start))
            .below(Value::moment(period.end));
        if only_reads {
            list = list.only("lasts", vec![Value::flag(false)]);
        }
        let gone = self.0.prune(&list.limit(limit)).await?;
        let less = CALL_BYTES * i64::try_from(gone).unwrap_or_default();
        if gone == 0 {
            return Ok(0);
        }
        // Another process may count in the same part. Then Stead tries again.
        loop {
            let batch = self.sized(process, Batch::new(), -less).await?;
            if self.commit(batch).await? == Commit::Committed {
                return Ok(gone);
            }
        }
    }
}

fn time_of(row: &CallRow) -> Option<Timestamp> {
    place_of(row).map(|place| place.at)
}

fn place_of(row: &CallRow) -> Option<Place> {
    let [at, high, low, ..] = row.integers()?;
    let at = Timestamp::from_nanosecond(at.into()).ok()?;
    let id = ExecutionId::from_uuid(Uuid::from_bytes(bytes(high, low)));
    Some(Place { at, id })
}

#[cfg(test)]
mod tests;
