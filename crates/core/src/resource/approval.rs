//! Approvals: calls that a person has to approve.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    caller::Actor,
    identifier::{ApprovalId, ConnectionName, Identifier},
    state::ApprovalState,
};

/// A call that a policy holds until a person has approved it. It approves these arguments only, and once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "approval_id": "appr_01a2037b052070199760437deb0e58e8", "state": "pending",
    "asked_by": { "type": "application", "id": "app_01a2037b035070009412e81b2b61a1aa" },
    "connection_name": "mail", "product": "mail", "identifier": "user-1", "tool": "mail_list_threads",
    "tool_version": "2026-11-21",
    "policy": "mail-agent", "rule": "/requires_approval/tools/0", "created_at": "2026-11-22T13:38:43Z",
    "expires_at": "2026-11-22T14:38:43Z",
}))]
#[non_exhaustive]
pub struct Approval {
    /// Its id.
    pub approval_id: ApprovalId,
    /// State.
    pub state: ApprovalState,
    /// Who called.
    pub asked_by: Actor,
    /// Connection.
    pub connection_name: ConnectionName,
    /// Product.
    pub product: String,
    /// The application's id of the user.
    pub identifier: Identifier,
    /// Tool; absent for a raw request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Method of a raw request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Its path, without the query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The exact arguments: the tool's input, or of each raw request its method, path with query, headers and body. Absent in
    /// lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The policy that asks.
    pub policy: String,
    /// Its rule, as a JSON Pointer.
    pub rule: String,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it ends, used or not.
    pub expires_at: Timestamp,
    /// Who approved or denied it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Actor>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// Why, as the person wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How a person decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "reason": "asked the customer" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovalDecision {
    /// Why; at most 500 characters. It stands in the approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ApprovalDecision {
    /// A decision for this reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self {
            reason: Some(reason.into()),
        }
    }
}

/// Which approvals are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalFilter {
    /// Only those in this state.
    pub state: Option<ApprovalState>,
}

impl ApprovalFilter {
    /// Those in this state.
    pub fn in_state(state: ApprovalState) -> Self {
        Self { state: Some(state) }
    }
}
