//! The record of one run of a tool or of the proxy.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    identifier::{AccountId, ExecutionId},
    trace::TraceId,
};

/// A run of a tool or of the proxy. Holds no input and no result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Execution {
    /// Id; primary key.
    pub(crate) id: ExecutionId,
    /// Tool, or `proxy`.
    pub(crate) tool: Cow<'static, str>,
    /// Version of the tool; for the proxy the method.
    pub(crate) tool_version: Cow<'static, str>,
    /// Whether it could change something at the product. Records of the first form do not say it, and count as if.
    #[serde(default = "unless_said")]
    pub(crate) changes: bool,
    /// Account.
    pub(crate) account_id: Option<AccountId>,
    /// Connection as asked.
    pub(crate) connection_name: String,
    /// Identifier as asked.
    pub(crate) identifier: String,
    /// Client id of the application that called, where it is known.
    #[serde(default)]
    pub(crate) actor: Option<String>,
    /// When it began, in whole microseconds.
    pub(crate) started_at: Timestamp,
    /// How long it took, in microseconds.
    pub(crate) duration_micros: u64,
    /// `ok`, or the error's kind.
    pub(crate) outcome: Cow<'static, str>,
    /// Requests sent to the product.
    pub(crate) requests: u32,
    /// Path of a raw request, with `{id}` in place of everything but the words of the product's API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Status of the product's last response, if the call was a raw request or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) product_status: Option<u16>,
    /// The trace that the caller named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trace_id: Option<TraceId>,
}

const fn unless_said() -> bool {
    true
}

impl Execution {
    /// The outcome of a call that succeeded.
    pub(crate) const OK: &'static str = "ok";

    /// Whether it is kept for long by itself: it changed something, or it failed. What was only read goes sooner, and is
    /// counted.
    pub(crate) fn lasts(&self) -> bool {
        self.changes || self.outcome != Self::OK
    }

    /// Its place in the history.
    pub(crate) fn place(&self) -> (Timestamp, ExecutionId) {
        (self.started_at, self.id)
    }
}
