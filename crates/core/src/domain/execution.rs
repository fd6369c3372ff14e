//! The record of one run of a tool or of the proxy.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::identifier::{AccountId, ExecutionId};

/// A run of a tool or of the proxy. Holds no input and no result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Execution {
    /// Id; primary key.
    pub(crate) id: ExecutionId,
    /// Tool, or `proxy`.
    pub(crate) tool: String,
    /// Version of the tool; for the proxy the method.
    pub(crate) tool_version: String,
    /// Account.
    pub(crate) account_id: Option<AccountId>,
    /// Connection as asked.
    pub(crate) connection_name: String,
    /// Identifier as asked.
    pub(crate) identifier: String,
    /// When it began.
    pub(crate) started_at: Timestamp,
    /// How long it took, in microseconds.
    pub(crate) duration_micros: u64,
    /// `ok`, or the error's kind.
    pub(crate) outcome: String,
    /// Requests sent to the product.
    pub(crate) requests: u32,
}
