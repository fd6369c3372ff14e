//! Rows that accumulate and expire: events and the outbox. Also the retention of all kinds of rows.

use jiff::Timestamp;

use super::{
    ACCESS_TOKEN, ACCESS_TOKENS_BY_END, ACCOUNT_TOKEN, ACCOUNT_TOKENS_BY_END, APPROVAL,
    APPROVALS_BY_END, AUTHORIZATION, AUTHORIZATIONS_BY_END, CREDENTIAL, CREDENTIALS_BY_AGE,
    DELIVERIES_BY_AGE, Found, Listed, MCP_SESSION, MCP_SESSIONS_BY_END, QUOTA_SHARE,
    QUOTA_SHARES_BY_END, Records, SESSION, SESSIONS_BY_END, WEBHOOK_DELIVERY,
    call_names::{CALL_NAME, NAME_USE, NAMES_BY_USE},
    call_totals::CALL_TOTAL,
    integer,
    keyed_call::{IDEMPOTENCY, KEYED_CALLS_BY_END},
    old_calls::{EXECUTION, EXECUTION_LOG, EXECUTIONS_BY_START},
    optional, position, text,
};
use crate::{
    Result,
    domain::{Event, Extra, OutboxEntry, totals::Step},
    identifier::{AccountId, OutboxId},
    store::{Index, List, Record, Rewritten, Row, Table, Value},
};

// ---- events

/// `lasts` is 0 for events that are removed sooner than others.
pub(super) static EVENT: Table = Table {
    name: "event",
    columns: &[
        text("id"),
        integer("lasts"),
        integer("at"),
        optional("account_id"),
        position("position"),
    ],
    key: Index::unique(&["id"]),
    indexes: &[EVENTS_BY_POSITION, EVENTS_OF_ACCOUNT, EVENTS_BY_TIME],
    sealed: false,
};
const EVENTS_BY_POSITION: Index = Index::unique(&["position"]);
const EVENTS_OF_ACCOUNT: Index = Index::of(&["account_id", "position"]);
const EVENTS_BY_TIME: Index = Index::of(&["lasts", "at"]);

impl Rewritten for Event {}
impl Record for Event {
    const TABLE: &'static Table = &EVENT;
    const NESTS: bool = true;
    fn stored(&mut self, row: &Row) {
        self.position = match row.value("position") {
            Value::Integer(position) => Some(*position),
            _ => None,
        };
    }
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.id),
            Value::flag(!self.short_lived),
            Value::moment(self.at),
            Value::optional(self.account_id),
            self.position.map_or(Value::Null, Value::Integer),
        ]
    }
}

impl Records {
    /// Events of one account or all, by position, after a position.
    pub(crate) async fn events(
        &self,
        account: Option<AccountId>,
        after: Option<i64>,
        limit: u32,
    ) -> Listed<Event> {
        let after = after.map(|position| vec![Value::Integer(position)]);
        self.list(events_of(account).after(after).limit(limit))
            .await
    }

    /// The same, before a position or from the end, newest first.
    pub(crate) async fn events_back(
        &self,
        account: Option<AccountId>,
        before: Option<i64>,
        limit: u32,
    ) -> Listed<Event> {
        let before = before.map(|position| vec![Value::Integer(position)]);
        let list = events_of(account).descending().after(before);
        self.list(list.limit(limit)).await
    }

    /// The last stored event.
    pub(crate) async fn last_event(&self) -> Found<Event> {
        let list = List::new(&EVENT, EVENTS_BY_POSITION).descending().limit(1);
        Ok(self.list(list).await?.pop())
    }

    /// The event with the lowest position among the earliest ones at this time or later.
    pub(crate) async fn first_event_since(&self, since: Timestamp) -> Found<Event> {
        let before = since
            .checked_sub(jiff::SignedDuration::from_nanos(1))
            .unwrap_or(since);
        let mut found = Vec::new();
        for lasts in [true, false] {
            let list = List::new(&EVENT, EVENTS_BY_TIME).prefix([Value::flag(lasts)]);
            let list = list.after(Some(vec![Value::moment(before)])).limit(1);
            found.extend(self.list::<Event>(list).await?);
        }
        Ok(found.into_iter().min_by_key(|event| event.row.position))
    }
}

/// Events of one account or all, by position.
fn events_of(account: Option<AccountId>) -> List {
    match account {
        Some(id) => List::new(&EVENT, EVENTS_OF_ACCOUNT).prefix([Value::text(id)]),
        None => List::new(&EVENT, EVENTS_BY_POSITION),
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
    /// An outbox entry by ID.
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

/// Times before which rows of each kind can be deleted. All other rows are never pruned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cutoffs {
    /// Access tokens and account tokens that expired before this.
    pub(crate) access_tokens: Timestamp,
    /// Calls with an idempotency key that could be used again before this.
    pub(crate) keyed_calls: Timestamp,
    /// Executions that started before this, and names that only they use.
    pub(crate) executions: Timestamp,
    /// Totals of calls that start before this.
    pub(crate) totals: Timestamp,
    /// Events that happened before this.
    pub(crate) events: Timestamp,
    /// Short-lived events that happened before this.
    pub(crate) short_lived_events: Timestamp,
    /// Completed or ended authorizations with an `expires_at` before this.
    pub(crate) authorizations: Timestamp,
    /// Shredded credentials that were inserted before this.
    pub(crate) credentials: Timestamp,
    /// Deliveries of webhooks that ended before this.
    pub(crate) deliveries: Timestamp,
    /// Approvals that ended before this.
    pub(crate) approvals: Timestamp,
}

impl Records {
    /// Deletes rows that are older than their cutoff, and returns how many it deleted. It deletes at most `limit` rows
    /// of each kind, so that other writes don't wait long. A total below `limit` means that nothing is left. If one
    /// kind fails, rows of others may already be deleted.
    ///
    /// None of these rows has ciphertext that is still useful. A credential is shredded, the verifier of an ended
    /// authorization is used up, and the arguments of an approval are useless after it has ended.
    pub(crate) async fn prune(&self, cutoffs: &Cutoffs, limit: u32) -> Result<u64> {
        let ended = [Value::flag(false)];
        // A name's last use is stored once a day. The second day is for rounds that failed.
        let unused = cutoffs.executions.checked_sub(NAME_USE * 2);
        let unused = unused.unwrap_or(Timestamp::MIN);
        let mut lists = vec![
            (
                List::new(&ACCESS_TOKEN, ACCESS_TOKENS_BY_END),
                cutoffs.access_tokens,
            ),
            (
                List::new(&ACCOUNT_TOKEN, ACCOUNT_TOKENS_BY_END),
                cutoffs.access_tokens,
            ),
            (
                List::new(&MCP_SESSION, MCP_SESSIONS_BY_END),
                cutoffs.access_tokens,
            ),
            (List::new(&SESSION, SESSIONS_BY_END), cutoffs.access_tokens),
            (
                List::new(&QUOTA_SHARE, QUOTA_SHARES_BY_END),
                cutoffs.short_lived_events,
            ),
            (
                List::new(&IDEMPOTENCY, KEYED_CALLS_BY_END),
                cutoffs.keyed_calls,
            ),
            (
                List::new(&EXECUTION, EXECUTIONS_BY_START),
                cutoffs.executions,
            ),
            (List::new(&CALL_NAME, NAMES_BY_USE), unused),
            (
                List::new(&EVENT, EVENTS_BY_TIME).prefix([Value::flag(true)]),
                cutoffs.events,
            ),
            (
                List::new(&EVENT, EVENTS_BY_TIME).prefix([Value::flag(false)]),
                cutoffs.short_lived_events,
            ),
            (
                List::new(&AUTHORIZATION, AUTHORIZATIONS_BY_END).prefix(ended.clone()),
                cutoffs.authorizations,
            ),
            (
                List::new(&CREDENTIAL, CREDENTIALS_BY_AGE).prefix(ended.clone()),
                cutoffs.credentials,
            ),
            (
                List::new(&WEBHOOK_DELIVERY, DELIVERIES_BY_AGE).prefix(ended),
                cutoffs.deliveries,
            ),
            (List::new(&APPROVAL, APPROVALS_BY_END), cutoffs.approvals),
        ];
        // Readable rows have been moved.
        for (lasts, full) in [(false, false), (false, true), (true, false), (true, true)] {
            let kind = [Value::flag(lasts), Value::flag(full)];
            let list = List::new(&EXECUTION_LOG, EXECUTION_LOG.key).prefix(kind);
            lists.push((list, cutoffs.executions));
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
