//! The record of one run of a tool or of the proxy.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::identifier::{AccountId, ExecutionId};

/// A run of a tool or of the proxy. Holds no input and no result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// Id; primary key.
    pub id: ExecutionId,
    /// Tool, or `proxy`.
    pub tool: String,
    /// Version of the tool; for the proxy the method.
    pub tool_version: String,
    /// Account.
    pub account_id: Option<AccountId>,
    /// Connection as asked.
    pub connection_name: String,
    /// Identifier as asked.
    pub identifier: String,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took, in microseconds.
    pub duration_micros: u64,
    /// `ok`, or the error's kind.
    pub outcome: String,
    /// Requests sent to the product.
    pub requests: u32,
}
