//! The history of calls, and totals of calls.

#[cfg(feature = "platform")]
use std::borrow::Cow;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Page;
#[cfg(feature = "platform")]
use crate::identifier::AccountId;
use crate::{
    ErrorKind::NotFound,
    api::{Paging, operations, query, resource},
    identifier::ExecutionId,
    scope::ScopeName::ExecutionsRead,
    trace::TraceId,
};

operations! {
    /// Lists calls, newest first.
    list: ListExecutions { ; query filter: ExecutionFilter, query page: Paging } -> Page<ExecutionRecord>
        = GET "/v1/executions" { scope: Some(ExecutionsRead) }
    /// Counts calls by connection, tool and outcome.
    totals: CountExecutions { ; query span: TotalsSpan } -> Page<CallTotals>
        = GET "/v1/executions/totals" { scope: Some(ExecutionsRead) }
    /// Reads the record of a call.
    read: ReadExecution { execution_id } -> ExecutionRecord
        = GET "/v1/executions/{execution_id}" { scope: Some(ExecutionsRead), errors: &[NotFound] }
}

query! {
    /// Which calls to count.
    #[derive(Copy)]
    pub struct TotalsSpan {
        /// Start of the period. Defaults to an hour before the end, or a day if `by` is `hour`.
        pub since: Option<Timestamp>,
        /// End of the period. Defaults to now.
        pub before: Option<Timestamp>,
        /// Count per minute or per hour.
        pub by: Option<TotalsStep>,
    }
}

impl TotalsSpan {
    /// A period, counted by the minute or by the hour.
    pub fn new(by: TotalsStep, since: Timestamp, before: Timestamp) -> Self {
        Self {
            since: Some(since),
            before: Some(before),
            by: Some(by),
        }
    }
}

impl crate::state::Word for TotalsStep {
    const NAMES: &'static [&'static str] = &["minute", "hour"];
    const VALUES: &'static [Self] = &Self::ALL;
    fn word(self) -> &'static str {
        self.name()
    }
}

resource! {
    /// A tool call or raw request in the history. The history never keeps inputs or results.
    #[schemars(example = json!({
        "execution_id": "exec_01a2037b05a9701a82762695bb6109d0", "tool": "mail_fetch_mails",
        "tool_version": "2026-11-21", "changes": false, "connection_name": "mail", "identifier": "user-1",
        "actor": "app_01a2037b035070009412e81b2b61a1aa", "started_at": "2026-11-22T13:38:43Z",
        "duration_micros": 96_400, "outcome": "ok", "requests": 2,
    }))]
    pub struct ExecutionRecord, stored as ExecutionRow, shown with (row) {
        /// ID of the execution.
        pub execution_id: ExecutionId = stored as id,
        /// Tool, or `proxy`.
        pub tool: String = computed row.tool.into(),
        private tool: Cow<'static, str>,
        /// Version of the tool, or the method of a raw request.
        pub tool_version: String = computed row.tool_version.into(),
        private tool_version: Cow<'static, str>,
        /// Whether it could change something at the product.
        // Old records don't say, and count as changes.
        pub changes: bool = stored #[serde(default = "unless_said")],
        private account_id: Option<AccountId>,
        /// Name of the connection, as requested.
        pub connection_name: String = stored,
        /// Your application's ID of the user, as requested.
        pub identifier: String = stored,
        /// Client ID of the application that called, if known. For an account token, the client ID of the application
        /// that created it, a slash and the token's ID.
        pub actor: Option<String> = stored #[serde(default)],
        /// When it started.
        // In whole microseconds.
        pub started_at: Timestamp = stored,
        /// Duration in microseconds.
        pub duration_micros: u64 = stored,
        /// `ok`, or the error's kind.
        pub outcome: String = computed row.outcome.into(),
        private outcome: Cow<'static, str>,
        /// Number of requests sent to the product.
        pub requests: u32 = stored,
        /// Path of a raw request, with `{id}` instead of IDs and names: `/v1/users/{id}/messages/send`.
        pub path: Option<String> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// Status of the product's response, if the call was a raw request or failed at the product.
        pub product_status: Option<u16> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// Trace ID from the header `traceparent` of the request that made the call.
        pub trace_id: Option<TraceId> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
    }
}

#[cfg(feature = "platform")]
const fn unless_said() -> bool {
    true
}

query! {
    /// Which calls to list. All of them by default.
    pub struct ExecutionFilter {
        /// Only executions through this connection.
        pub connection_name: Option<String>,
        /// Only executions of this user.
        pub identifier: Option<String>,
        /// Only executions of this tool. Use `proxy` for raw requests.
        pub tool: Option<String>,
        /// Only executions with this outcome: `ok` or an error kind.
        pub outcome: Option<String>,
        /// Only executions by the application with this client ID.
        pub actor: Option<String>,
        /// Only executions that started at this time or later.
        pub since: Option<Timestamp>,
        /// Only executions that started before this time.
        pub before: Option<Timestamp>,
    }
}

/// Number of calls of a connection and tool with one outcome, per minute and process or per hour.
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
    /// Start of the minute or hour in which the calls ended.
    pub start: Timestamp,
    /// 60 for a minute, 3600 for an hour.
    pub seconds: u32,
    /// Number of the process. Empty if it counts all processes.
    pub process: String,
    /// Name of the connection, as requested. If a minute has more than 1,000 names, the rest are counted together with
    /// an empty connection and tool.
    pub connection_name: String,
    /// Tool, or `proxy`.
    pub tool: String,
    /// `ok`, or the error's kind.
    pub outcome: String,
    /// Number of calls.
    pub calls: u64,
    /// Total duration of the calls, in microseconds.
    pub duration_micros: u64,
    /// Calls by duration. Each call is counted in exactly one bucket.
    pub durations: Vec<CallDurations>,
}

/// The period over which calls are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TotalsStep {
    /// Per minute. Calls older than a week are counted per hour.
    #[default]
    Minute,
    /// Per hour.
    Hour,
}

impl TotalsStep {
    /// Both steps.
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

/// Calls that took less than this time, but at least the time of the previous entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CallDurations {
    /// The time in milliseconds. Absent if it has no upper limit.
    pub below_millis: Option<u64>,
    /// Number of calls.
    pub calls: u64,
}
