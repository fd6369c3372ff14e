//! The record of one run of a tool or of a raw request.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    identifier::{AccountId, ExecutionId},
    trace::TraceId,
};

/// One run of a tool or of a raw request. Has no input and no result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Execution {
    /// ID; primary key.
    pub(crate) id: ExecutionId,
    /// Tool, or `proxy`.
    pub(crate) tool: Cow<'static, str>,
    /// Version of the tool, or the method of a raw request.
    pub(crate) tool_version: Cow<'static, str>,
    /// Whether it could change something at the product. Old records don't say, and count as changes.
    #[serde(default = "unless_said")]
    pub(crate) changes: bool,
    /// Account.
    pub(crate) account_id: Option<AccountId>,
    /// Connection, as requested.
    pub(crate) connection_name: String,
    /// Identifier, as requested.
    pub(crate) identifier: String,
    /// Client ID of the application that called, if known.
    #[serde(default)]
    pub(crate) actor: Option<String>,
    /// When it started, in whole microseconds.
    pub(crate) started_at: Timestamp,
    /// Duration in microseconds.
    pub(crate) duration_micros: u64,
    /// `ok`, or the error's kind.
    pub(crate) outcome: Cow<'static, str>,
    /// Requests sent to the product.
    pub(crate) requests: u32,
    /// Path of a raw request, with `{id}` instead of everything except the words of the product's API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Status of the product's last response, if the call was a raw request or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) product_status: Option<u16>,
    /// Trace ID from the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trace_id: Option<TraceId>,
}

const fn unless_said() -> bool {
    true
}

impl Execution {
    /// The outcome of a call that succeeded.
    pub(crate) const OK: &'static str = "ok";

    /// Whether it's kept for the longer time, because it changed something or failed. Reads are removed sooner, and
    /// remain in the totals.
    pub(crate) fn lasts(&self) -> bool {
        self.changes || self.outcome != Self::OK
    }

    /// Its position in the history.
    pub(crate) fn place(&self) -> (Timestamp, ExecutionId) {
        (self.started_at, self.id)
    }
}
