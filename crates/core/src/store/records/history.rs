//! What grows and goes: events and the outbox; and from which age on rows of any kind go.

use jiff::Timestamp;

use super::{
    ACCESS_TOKEN, ACCESS_TOKENS_BY_END, AUTHORIZATION, AUTHORIZATIONS_BY_END, CREDENTIAL,
    CREDENTIALS_BY_AGE, Found, Listed, Records,
    executions::{CALL_TOTAL, EXECUTION, EXECUTIONS_BY_START, KINDS},
    group::EXECUTION_LOG,
    integer, text,
};
#[cfg(test)]
use crate::identifier::EventId;
use crate::{
    Result,
    domain::{Event, Extra, OutboxEntry, totals::Step},
    identifier::OutboxId,
    store::{Index, List, Record, Rewritten, Table, Value},
};

// ---- events

pub(super) static EVENT: Table = Table {
    name: "event",
    columns: &[text("id"), integer("at")],
    key: Index::unique(&["id"]),
    indexes: &[EVENTS_BY_TIME],
    sealed: false,
};
const EVENTS_BY_TIME: Index = Index::of(&["at"]);

impl Record for Event {
    const TABLE: &'static Table = &EVENT;
    const NESTS: bool = true;
    fn values(&self) -> Vec<Value> {
        vec![Value::text(self.id), Value::moment(self.at)]
    }
}

/// What only tests read.
#[cfg(test)]
impl Records {
    /// Events in order of their ids, starting after `after`.
    pub(crate) async fn events(&self, after: Option<EventId>, limit: u32) -> Listed<Event> {
        let list = List::new(&EVENT, EVENT.key);
        self.list(
            list.after(after.map(|id| vec![Value::text(id)]))
                .limit(limit),
        )
        .await
    }
}

// ---- the outbox

pub(super) static OUTBOX: Table = Table {
    name: "outbox",
    columns: &[text("id"), integer("due_at")],
    key: Index::unique(&["id"]),
    indexes: &[OUTBOX_BY_DUE],
    sealed: true,
};
const OUTBOX_BY_DUE: Index = Index::of(&["due_at", "id"]);

impl Rewritten for OutboxEntry {}
impl Record for OutboxEntry {
    const TABLE: &'static Table = &OUTBOX;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(self.id), Value::moment(self.due_at)]
    }
}

impl Records {
    /// An outbox entry by id.
    pub(crate) async fn outbox_entry(&self, id: OutboxId) -> Found<OutboxEntry> {
        self.get(id).await
    }
    /// Outbox entries that are due at `now`.
    pub(crate) async fn due(&self, now: Timestamp, limit: u32) -> Listed<OutboxEntry> {
        let later = now
            .checked_add(jiff::SignedDuration::from_nanos(1))
            .unwrap_or(now);
        let list = List::new(&OUTBOX, OUTBOX_BY_DUE).below(Value::moment(later));
        self.list(list.limit(limit)).await
    }
}

// ---- retention

/// From which moment on rows are kept; what is older may go. Other rows are never pruned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cutoffs {
    /// Access tokens go that expired before this.
    pub(crate) access_tokens: Timestamp,
    /// Executions go that began before this.
    pub(crate) executions: Timestamp,
    /// Of them, those that only read go that began before this.
    pub(crate) reads: Timestamp,
    /// Totals of calls go that start before this.
    pub(crate) totals: Timestamp,
    /// Events go that happened before this.
    pub(crate) events: Timestamp,
    /// Authorizations go that are completed or ended, with an `expires_at` before this.
    pub(crate) authorizations: Timestamp,
    /// Credentials go that are shredded and were inserted before this.
    pub(crate) credentials: Timestamp,
}

impl Records {
    /// Deletes rows that are older than their cutoff, and returns how many there were. Of each kind at most `limit` rows
    /// go, so that no other write waits long; less than `limit` in all means that none is left. Where one kind fails,
    /// rows of others may be gone.
    ///
    /// None of them holds ciphertext that still opens anything: a credential here is shredded, and the verifier of an
    /// ended authorization is spent.
    pub(crate) async fn prune(&self, cutoffs: &Cutoffs, limit: u32) -> Result<u64> {
        let ended = [Value::flag(false)];
        let mut lists = vec![
            (
                List::new(&ACCESS_TOKEN, ACCESS_TOKENS_BY_END),
                cutoffs.access_tokens,
            ),
            (
                List::new(&EXECUTION, EXECUTIONS_BY_START),
                cutoffs.executions,
            ),
            (List::new(&EVENT, EVENTS_BY_TIME), cutoffs.events),
            (
                List::new(&AUTHORIZATION, AUTHORIZATIONS_BY_END).prefix(ended.clone()),
                cutoffs.authorizations,
            ),
            (
                List::new(&CREDENTIAL, CREDENTIALS_BY_AGE).prefix(ended),
                cutoffs.credentials,
            ),
        ];
        for (lasts, full) in KINDS {
            // Those that can be read are gone already, and their bytes counted.
            let cutoff = if lasts {
                cutoffs.executions
            } else {
                cutoffs.reads
            };
            let kind = [Value::flag(lasts), Value::flag(full)];
            lists.push((
                List::new(&EXECUTION_LOG, EXECUTION_LOG.key).prefix(kind),
                cutoff,
            ));
        }
        for step in [Step::Minute, Step::Hour] {
            let step = [Value::Integer(step.seconds())];
            lists.push((
                List::new(&CALL_TOTAL, CALL_TOTAL.key).prefix(step),
                cutoffs.totals,
            ));
        }
        let mut gone = 0;
        for (list, cutoff) in lists {
            gone += self
                .0
                .prune(&list.below(Value::moment(cutoff)).limit(limit))
                .await?;
        }
        Ok(gone)
    }
}
