//! The history of calls: single ones, and how many there were.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{identifier::ExecutionId, trace::TraceId};

/// A run of a tool or a raw request, as the history keeps it: neither its input nor its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "execution_id": "exec_01a2037b05a9701a82762695bb6109d0", "tool": "mail_fetch_mails",
    "tool_version": "2026-11-21", "changes": false, "connection_name": "mail", "identifier": "user-1",
    "actor": "app_01a2037b035070009412e81b2b61a1aa", "started_at": "2026-11-22T13:38:43Z",
    "duration_micros": 96_400, "outcome": "ok", "requests": 2,
}))]
#[non_exhaustive]
pub struct ExecutionRecord {
    /// Id of the run.
    pub execution_id: ExecutionId,
    /// Tool, or `proxy`.
    pub tool: String,
    /// Version of the tool; for the proxy the method.
    pub tool_version: String,
    /// Whether it could change something at the product.
    pub changes: bool,
    /// Connection as asked.
    pub connection_name: String,
    /// The application's id of the user, as asked.
    pub identifier: String,
    /// Client id of the application that called, where it is known; for an account token its maker's, a slash, and the
    /// token's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took, in microseconds.
    pub duration_micros: u64,
    /// `ok`, or the error's kind.
    pub outcome: String,
    /// Requests sent to the product.
    pub requests: u32,
    /// Path of a raw request, with `{id}` in place of ids and names: `/v1/users/{id}/messages/send`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Status of the product's response, if the call was a raw request or failed at the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_status: Option<u16>,
    /// The trace that the request named which made the call, in its header `traceparent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<TraceId>,
}

/// Which executions are asked for; all of what is given has to hold.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ExecutionFilter {
    /// Only through this connection.
    pub connection_name: Option<String>,
    /// Only this user's.
    pub identifier: Option<String>,
    /// Only of this tool; `proxy` for raw requests.
    pub tool: Option<String>,
    /// Only those that ended so: `ok`, or an error's kind.
    pub outcome: Option<String>,
    /// Only those of the application with this client id, its account tokens included; or of the token with this id.
    pub actor: Option<String>,
    /// Only those that began at this moment or later.
    pub since: Option<Timestamp>,
    /// Only those that began before this moment.
    pub before: Option<Timestamp>,
}

/// How many calls of a connection and tool ended with an outcome, in one minute in one process, or in one hour in all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "start": "2026-11-22T13:38:00Z", "seconds": 60, "process": "", "connection_name": "mail",
    "tool": "mail_fetch_mails", "outcome": "ok", "calls": 3, "duration_micros": 241_900,
    "durations": [
        { "below_millis": 10, "calls": 0 }, { "below_millis": 30, "calls": 1 }, { "below_millis": 100, "calls": 2 },
    ],
}))]
#[non_exhaustive]
pub struct CallTotals {
    /// Beginning of the minute or hour in which the calls ended.
    pub start: Timestamp,
    /// 60 for a minute, 3600 for an hour.
    pub seconds: u32,
    /// The process, by a number of its own; empty for all.
    pub process: String,
    /// Connection as asked. Where one minute has more than 1,000 names, those beyond are counted together, with an empty
    /// connection and tool.
    pub connection_name: String,
    /// Tool, or `proxy`.
    pub tool: String,
    /// `ok`, or the error's kind.
    pub outcome: String,
    /// Calls.
    pub calls: u64,
    /// What they took together, in microseconds.
    pub duration_micros: u64,
    /// The calls by how long they took: every call is in one of them.
    pub durations: Vec<CallDurations>,
}

/// How calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TotalsStep {
    /// By the minute; what is older than a week is counted by the hour.
    #[default]
    Minute,
    /// By the hour.
    Hour,
}

impl TotalsStep {
    /// Every step.
    pub const ALL: [Self; 2] = [Self::Minute, Self::Hour];

    /// `minute` or `hour`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
        }
    }
}

/// Calls that took less than a time, and no less than that of the entry before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CallDurations {
    /// The time in milliseconds; without an end where it is absent.
    pub below_millis: Option<u64>,
    /// Calls.
    pub calls: u64,
}
