//! Executions that share one row. Each text is stored once, in a list that the calls refer to, and an ID takes 16
//! bytes.
//!
//! This takes about 40 bytes per call, and stores a user's name and IDs once per row. The body is base64 of a binary
//! format (postcard) inside JSON, because bodies are text in every store.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    group_details::{Names, Responses, Traces, packed, unpacked},
    integer, text,
};
use crate::{
    Error, ErrorKind, Result,
    domain::Execution,
    identifier::{AccountId, ExecutionId},
    store::{Index, Key, Record, Table, Value},
};

/// Maximum number of executions in a row.
pub(crate) const FULL: usize = 500;
/// Maximum time between the first and the last execution of a row.
pub(crate) const SPAN: SignedDuration = SignedDuration::from_hours(1);
/// Size of a row without its calls: its key twice, and the start of its body.
const ROW: usize = 200;

/// `until` is when the last execution of the row started.
pub(super) static EXECUTION_LOG: Table = Table {
    name: "execution_log",
    columns: &[
        integer("lasts"),
        integer("full"),
        integer("until"),
        text("id"),
    ],
    key: Index::unique(&["lasts", "full", "until", "id"]),
    indexes: &[],
    sealed: false,
};

/// Executions of one kind in one row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExecutionGroup {
    /// ID of the row.
    pub(crate) id: String,
    /// Whether they are [kept for the longer time](Execution::lasts).
    pub(crate) lasts: bool,
    /// Whether the row is final. Others are merged with their neighbors.
    pub(crate) full: bool,
    /// When the last of them started.
    pub(crate) until: Timestamp,
    /// The packed executions.
    calls: String,
    /// The packed trace IDs of those that have one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    traces: String,
    /// The packed paths of raw requests and statuses of the product.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    responses: String,
}

impl Record for ExecutionGroup {
    const TABLE: &'static Table = &EXECUTION_LOG;
    fn values(&self) -> Vec<Value> {
        vec![
            Value::flag(self.lasts),
            Value::flag(self.full),
            Value::moment(self.until),
            Value::text(&self.id),
        ]
    }
}

impl ExecutionGroup {
    /// Packs executions into as few rows as possible. All except the last of each kind are full.
    pub(crate) fn pack(calls: &[Execution], new_id: impl Fn() -> Uuid) -> Vec<Self> {
        let mut sorted: Vec<&Execution> = calls.iter().collect();
        sorted.sort_by_key(|call| (call.lasts(), call.place()));
        let mut calls = sorted.as_slice();
        let mut groups = Vec::new();
        while let Some(first) = calls.first() {
            let (lasts, start) = (first.lasts(), first.started_at);
            let is_in = |call: &Execution| {
                call.lasts() == lasts && call.started_at.duration_since(start) <= SPAN
            };
            let count = calls
                .iter()
                .take(FULL)
                .take_while(|call| is_in(call))
                .count();
            let (own, rest) = calls.split_at(count);
            let another_follows = rest.first().is_some_and(|next| next.lasts() == lasts);
            let packed = Packed::new(own);
            groups.push(Self {
                id: new_id().as_simple().to_string(),
                lasts,
                full: count == FULL || another_follows,
                until: own.last().map_or(start, |call| call.started_at),
                calls: packed.to_text(),
                traces: Traces::to_text(own),
                responses: Responses::to_text(own),
            });
            calls = rest;
        }
        groups
    }

    /// The executions, in the order in which they started.
    ///
    /// # Errors
    /// [`ErrorKind::IntegrityViolated`] if they can't be read.
    pub(crate) fn unpack(&self) -> Result<Vec<Execution>> {
        let calls = Packed::from_text(&self.calls).and_then(|packed| packed.calls());
        let calls = calls.and_then(|calls| Traces::add(&self.traces, calls));
        let calls = calls.and_then(|calls| Responses::add(&self.responses, calls));
        calls.ok_or_else(|| {
            let message = format!("row {} of table execution_log can't be read", self.id);
            Error::new(ErrorKind::IntegrityViolated, message)
        })
    }

    /// Whether it has a call of a user, given a connection, an identifier and an account.
    ///
    /// # Errors
    /// As [`unpack`](Self::unpack).
    pub(crate) fn names(
        &self,
        mut is_one: impl FnMut(&str, &str, Option<AccountId>) -> bool,
    ) -> Result<bool> {
        let Some(packed) = Packed::from_text(&self.calls) else {
            return self.unpack().map(|_| false);
        };
        Ok(packed
            .accounts
            .iter()
            .any(|(connection, identifier, account)| {
                let connection = packed.connections.get(*connection as usize);
                let account = account.map(|id| AccountId::from_uuid(Uuid::from_bytes(id)));
                is_one(connection.map_or("", String::as_str), identifier, account)
            }))
    }

    /// The same calls with other names. `None` if `rename` changes none of them.
    ///
    /// # Errors
    /// As [`unpack`](Self::unpack).
    pub(crate) fn renamed(
        &self,
        rename: impl Fn(&mut Execution) -> bool,
        new_id: impl Fn() -> Uuid,
    ) -> Result<Option<Vec<Self>>> {
        let mut calls = self.unpack()?;
        let renamed = calls
            .iter_mut()
            .filter_map(|call| rename(call).then_some(()));
        if renamed.count() == 0 {
            return Ok(None);
        }
        let mut groups = Self::pack(&calls, new_id);
        for group in &mut groups {
            group.full |= self.full;
        }
        Ok(Some(groups))
    }

    /// Approximate size in the database in bytes.
    pub(crate) fn bytes(&self) -> i64 {
        i64::try_from(self.calls.len() + self.traces.len() + self.responses.len() + ROW)
            .unwrap_or(i64::MAX)
    }

    pub(crate) fn key(&self) -> Key {
        Key::new(&EXECUTION_LOG, self.values())
    }
}

/// The binary format. It doesn't describe itself, so a different format needs a new version of the body.
#[derive(Serialize, Deserialize)]
struct Packed {
    /// Name, version, and whether it changes something.
    tools: Vec<(String, String, bool)>,
    connections: Vec<String>,
    outcomes: Vec<String>,
    actors: Vec<Option<String>>,
    /// Connection, identifier, account.
    accounts: Vec<(u32, String, Option<[u8; 16]>)>,
    /// When the first one started, in microseconds since 1970.
    began: i64,
    calls: Vec<Call>,
}

/// One call. It refers to shared data by position in the lists.
#[derive(Serialize, Deserialize)]
struct Call {
    id: [u8; 16],
    tool: u32,
    account: u32,
    outcome: u32,
    actor: u32,
    /// Microseconds since the start of the previous call.
    after: i64,
    took: u64,
    requests: u32,
}

impl Packed {
    fn new(calls: &[&Execution]) -> Self {
        let (mut tools, mut accounts) = (Names::default(), Names::default());
        let (mut connections, mut outcomes, mut actors) =
            (Names::default(), Names::default(), Names::default());
        let began = calls
            .first()
            .map_or(0, |call| call.started_at.as_microsecond());
        let mut before = began;
        let calls = calls.iter().map(|call| {
            let now = call.started_at.as_microsecond();
            let after = now.saturating_sub(before);
            before = now;
            let connection = connections.number(call.connection_name.as_str());
            let account = call.account_id.map(|id| id.uuid().into_bytes());
            Call {
                id: call.id.uuid().into_bytes(),
                tool: tools.number((&*call.tool, &*call.tool_version, call.changes)),
                account: accounts.number((connection, call.identifier.as_str(), account)),
                outcome: outcomes.number(&*call.outcome),
                actor: actors.number(call.actor.as_deref()),
                after,
                took: call.duration_micros,
                requests: call.requests,
            }
        });
        let calls = calls.collect();
        Self {
            tools: tools.owned(|(name, version, changes)| (name.into(), version.into(), changes)),
            connections: connections.owned(str::to_owned),
            outcomes: outcomes.owned(str::to_owned),
            actors: actors.owned(|actor| actor.map(str::to_owned)),
            accounts: accounts.owned(|(connection, name, id)| (connection, name.to_owned(), id)),
            began,
            calls,
        }
    }

    fn to_text(&self) -> String {
        packed(self)
    }

    fn from_text(text: &str) -> Option<Self> {
        unpacked(text)
    }

    fn calls(self) -> Option<Vec<Execution>> {
        fn at<T: Clone>(list: &[T], number: u32) -> Option<T> {
            list.get(number as usize).cloned()
        }
        let mut began = self.began;
        let calls = self.calls.iter().map(|call| {
            began = began.checked_add(call.after)?;
            let (tool, tool_version, changes) = at(&self.tools, call.tool)?;
            let (connection, identifier, account) = at(&self.accounts, call.account)?;
            Some(Execution {
                id: ExecutionId::from_uuid(Uuid::from_bytes(call.id)),
                tool: tool.into(),
                tool_version: tool_version.into(),
                changes,
                account_id: account.map(|id| AccountId::from_uuid(Uuid::from_bytes(id))),
                connection_name: at(&self.connections, connection)?,
                identifier,
                actor: at(&self.actors, call.actor)?,
                started_at: Timestamp::from_microsecond(began).ok()?,
                duration_micros: call.took,
                outcome: at(&self.outcomes, call.outcome)?.into(),
                requests: call.requests,
                path: None,
                product_status: None,
                trace_id: None,
            })
        });
        calls.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, time::Duration};

    use super::*;
    use crate::{
        testing::{START, execution},
        trace::TraceId,
    };

    fn pack(calls: &[Execution]) -> Vec<ExecutionGroup> {
        let id = Cell::new(0);
        ExecutionGroup::pack(calls, || {
            id.set(id.get() + 1);
            Uuid::from_u128(id.get())
        })
    }

    /// Calls of 50 users with six tools, one every 100 ms.
    fn calls(count: u64) -> Vec<Execution> {
        (0..count)
            .map(|number| Execution {
                id: ExecutionId::from_uuid(Uuid::from_u128(u128::MAX / 3 + u128::from(number))),
                tool: format!("mail_tool_number_{}", number % 6).into(),
                tool_version: "2026-11-21".into(),
                account_id: Some(AccountId::from_uuid(Uuid::from_u128(u128::from(
                    number % 50,
                )))),
                identifier: format!("user-{}@example.com", number % 50),
                actor: (number % 2 == 0).then(|| String::from("app_1")),
                duration_micros: 40_000 + number * 7,
                requests: 1,
                ..execution(0, "", START + Duration::from_millis(100 * number))
            })
            .collect()
    }

    #[test]
    fn what_is_packed_reads_back_exactly() {
        let mut packed = calls(3);
        packed[1].account_id = None;
        packed[1].trace_id = TraceId::from_bytes([7; 16]);
        packed[0].path = Some(String::from("/v1/users/{id}"));
        packed[0].product_status = Some(403);
        packed[2].product_status = Some(500);
        packed[1].identifier = String::from("ü \" \\ \u{202e}");
        packed[2].started_at = START + Duration::from_micros(1_000_001);
        packed[2].duration_micros = u64::MAX;
        packed.sort_by_key(Execution::place);
        let groups = pack(&packed);
        assert_eq!(groups.len(), 1);
        let body = groups[0].clone().into_row().unwrap().body;
        let group: ExecutionGroup = serde_json::from_str(&body).unwrap();
        assert_eq!(group.unpack().unwrap(), packed);
        assert_eq!((group.full, group.until), (false, packed[2].started_at));
    }

    #[test]
    fn groups_hold_one_kind_and_have_an_end() {
        let mut all = calls(1_100);
        for number in [3, 700] {
            all[number].outcome = "not_found".into();
        }
        all[5].changes = true;
        all[1_099].started_at += SPAN;
        let groups = pack(&all);
        let of = |group: &ExecutionGroup| (group.lasts, group.full, group.unpack().unwrap().len());
        assert_eq!(
            groups.iter().map(of).collect::<Vec<_>>(),
            [
                (false, true, 500),
                (false, true, 500),
                (false, true, 96),
                (false, false, 1),
                (true, false, 3),
            ]
        );
        let mut back: Vec<_> = groups
            .iter()
            .flat_map(|group| group.unpack().unwrap())
            .collect();
        back.sort_by_key(Execution::place);
        assert_eq!(back, all);
    }

    #[test]
    fn a_call_of_a_full_group_takes_less_than_fifty_bytes() {
        let group = pack(&calls(FULL as u64)).remove(0);
        let bytes = group.bytes() as usize / FULL;
        assert!(bytes < 50, "{bytes}");
        let row = group.clone().into_row().unwrap();
        let difference = row.body.len() as i64 - group.bytes();
        assert!(difference < 0, "{difference}");
    }

    #[test]
    fn a_raw_request_takes_less_than_sixty_bytes() {
        let mut raw = calls(FULL as u64);
        for (number, call) in raw.iter_mut().enumerate() {
            call.path = Some(format!("/notes/v1/users/{{id}}/pages/{}", number % 20));
            call.product_status = Some(200);
        }
        let bytes = pack(&raw)[0].bytes() as usize / FULL;
        assert!(bytes < 60, "{bytes}");
    }

    #[test]
    fn a_row_without_traces_and_responses_is_as_before_these_were_kept() {
        let group = pack(&calls(2)).remove(0);
        let body = group.into_row().unwrap().body;
        let members = ["traces", "responses"];
        assert!(!members.iter().any(|one| body.contains(one)), "{body}");
        let mut traced = calls(2);
        traced[1].trace_id = TraceId::from_bytes([1; 16]);
        let group = pack(&traced).remove(0);
        assert!(group.bytes() > pack(&calls(2))[0].bytes());
    }

    #[test]
    fn what_does_not_read_is_an_error() {
        let group = pack(&calls(2)).remove(0);
        let damaged = |calls: &str| ExecutionGroup {
            calls: calls.to_owned(),
            ..group.clone()
        };
        for text in ["", "?", "AAAA", &group.calls[..group.calls.len() - 4]] {
            let error = damaged(text).unpack().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{text}");
        }
        let mut packed = Packed::from_text(&group.calls).unwrap();
        packed.calls[1].tool = 99;
        assert!(damaged(&packed.to_text()).unpack().is_err());
        for text in ["?", "AAAA AA"] {
            let (mut traced, mut responded) = (group.clone(), group.clone());
            text.clone_into(&mut traced.traces);
            text.clone_into(&mut responded.responses);
            assert!(traced.unpack().is_err() && responded.unpack().is_err());
        }
    }
}
