//! Calls as older versions stored them, which maintenance moves to [calls](super::calls): one per row as JSON, and
//! later up to 500 in a row, as base64 of a binary format (postcard).

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Listed, Records, integer, text};
use crate::{
    Error, ErrorKind, Result,
    domain::Execution,
    identifier::{AccountId, ExecutionId},
    store::{Index, Key, List, Record, Table, Value},
    trace::TraceId,
};

/// Rows that are read together.
const SOME: u32 = 4;
/// Size of a row of several calls without the calls: its key twice, and the start of its body.
const ROW: usize = 200;

/// Executions as the first version stored them.
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
    /// The executions, in the order in which they started.
    ///
    /// # Errors
    /// [`ErrorKind::IntegrityViolated`] if they can't be read.
    pub(crate) fn unpack(&self) -> Result<Vec<Execution>> {
        let calls = unpacked::<Packed>(&self.calls).and_then(Packed::calls);
        let calls = calls.and_then(|calls| Traces::add(&self.traces, calls));
        let calls = calls.and_then(|calls| Responses::add(&self.responses, calls));
        calls.ok_or_else(|| {
            let message = format!("row {} of table execution_log can't be read", self.id);
            Error::new(ErrorKind::IntegrityViolated, message)
        })
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

/// The trace ID of each call that has one, by the call's number. Few calls have one, so it isn't part of the calls'
/// format.
#[derive(Deserialize)]
struct Traces(Vec<(u32, [u8; 16])>);

impl Traces {
    /// Adds trace IDs to the calls. `None` if the text can't be read.
    fn add(text: &str, mut calls: Vec<Execution>) -> Option<Vec<Execution>> {
        if text.is_empty() {
            return Some(calls);
        }
        for (number, bytes) in unpacked::<Self>(text)?.0 {
            calls.get_mut(number as usize)?.trace_id = TraceId::from_bytes(bytes);
        }
        Some(calls)
    }
}

/// Paths and statuses of raw requests, and statuses of calls that failed. Most calls have neither.
#[derive(Deserialize)]
struct Responses {
    paths: Vec<String>,
    /// The call's number, its path, and the status.
    calls: Vec<(u32, Option<u32>, Option<u16>)>,
}

impl Responses {
    /// Adds these details to the calls. `None` if the text can't be read.
    fn add(text: &str, mut calls: Vec<Execution>) -> Option<Vec<Execution>> {
        if text.is_empty() {
            return Some(calls);
        }
        let read: Self = unpacked(text)?;
        for (number, path, status) in read.calls {
            let call = calls.get_mut(number as usize)?;
            if let Some(path) = path {
                call.path = Some(read.paths.get(path as usize)?.clone());
            }
            call.product_status = status;
        }
        Some(calls)
    }
}

fn unpacked<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    postcard::from_bytes(&STANDARD_NO_PAD.decode(text).ok()?).ok()
}

impl Records {
    /// Executions in the first version's format, oldest first.
    pub(crate) async fn first_form(&self, limit: u32) -> Listed<Execution> {
        self.list(List::new(&EXECUTION, EXECUTIONS_BY_START).limit(limit))
            .await
    }

    /// Rows of several calls.
    pub(crate) async fn groups(&self, after: Option<Key>, limit: u32) -> Listed<ExecutionGroup> {
        let list = List::new(&EXECUTION_LOG, EXECUTION_LOG.key).after(after.map(|key| key.values));
        self.list(list.limit(limit)).await
    }

    /// Whether calls of an older version wait to be moved. Rows that can't be read don't count.
    pub(crate) async fn has_older_calls(&self) -> Result<bool> {
        if !self.first_form(1).await?.is_empty() {
            return Ok(true);
        }
        let mut after = None;
        loop {
            let groups = self.groups(after, SOME).await?;
            if groups.iter().any(|group| group.row.unpack().is_ok()) {
                return Ok(true);
            }
            let Some(last) = groups.last() else {
                return Ok(false);
            };
            after = Some(last.row.key());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of two calls, one of them with a path, as an older version wrote it.
    const BODY: &str = r#"{"id":"019df237ea6070b7b275508fd1f12e6d","lasts":true,"full":false,"until":"2026-05-04T09:00:41Z","calls":"AQVwcm94eQRQT1NUAQEEbWFpbAERYXBwcm92YWxfcmVxdWlyZWQBASRhcHBfMDE5ZGYyMzczZTgwNzAwMDhmM2M3YTVlMzgxMjU1MGYBAAZ1c2VyLTEBAZ3yN1nYcEO38KwugcA0c4D486LFvqgGAgGd8jfawHCrho5lCp1o9qAAAAAAAJQgAAGd8jfeqHCxu9s/Y5kn3x4AAAAAgIl6rSQA","responses":"ASYvbm90ZXMvdjEvdXNlcnMvbWUvbWVzc2FnZXMve2lkfS90cmFzaAIAAQAAAQEAAA"}"#;

    #[test]
    fn calls_of_an_older_version_are_read() {
        let group: ExecutionGroup = serde_json::from_str(BODY).unwrap();
        let calls = group.unpack().unwrap();
        let [first, second] = calls.as_slice() else {
            panic!("{calls:?}");
        };
        assert_eq!((&*first.tool, &*first.tool_version), ("proxy", "POST"));
        assert_eq!(first.identifier, "user-1");
        assert_eq!(first.outcome, "approval_required");
        assert_eq!(second.started_at, group.until);
        let path = Some("/notes/v1/users/me/messages/{id}/trash");
        assert_eq!(first.path.as_deref(), path);
    }

    #[test]
    fn damaged_rows_are_an_error() {
        let group: ExecutionGroup = serde_json::from_str(BODY).unwrap();
        for text in ["", "?", "AAAA", &group.calls[..group.calls.len() - 4]] {
            let damaged = ExecutionGroup {
                calls: text.to_owned(),
                ..group.clone()
            };
            let error = damaged.unpack().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{text}");
        }
        let damaged = ExecutionGroup {
            responses: String::from("?"),
            ..group
        };
        assert!(damaged.unpack().is_err());
    }
}
