//! Totals of calls, and the size of their history.

use std::ops::Range;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Found, Listed, Records, Rewritten, integer, text};
use crate::{
    Result,
    domain::{Extra, Totals, totals::Step},
    store::{Batch, Index, Key, List, Record, Table, Value},
};

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

/// A part of the total size of the history. Single parts can be negative; only their sum has a meaning.
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

impl Records {
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

    /// Approximate size of the history in bytes.
    pub(crate) async fn history_bytes(&self) -> Result<i64> {
        let parts = self
            .list::<HistorySize>(List::new(&HISTORY_SIZE, HISTORY_SIZE.key))
            .await?;
        Ok(parts.iter().map(|part| part.row.bytes).sum())
    }

    /// Adds bytes to the size. `process` selects the part to update.
    pub(super) async fn sized(&self, process: Uuid, batch: Batch, more: i64) -> Result<Batch> {
        let part = process
            .as_bytes()
            .iter()
            .fold(0_u8, |sum, byte| sum.wrapping_add(*byte))
            % PARTS;
        let key = Key::new(&HISTORY_SIZE, vec![Value::Integer(part.into())]);
        Ok(match self.get::<HistorySize>(key).await? {
            Some(mut found) => {
                found.row.bytes += more;
                batch.update(found.row, found.version)
            }
            None => batch.insert(HistorySize {
                part,
                bytes: more,
                extra: Extra::default(),
            }),
        })
    }
}
