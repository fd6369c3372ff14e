//! Approvals of calls that a person needs to approve.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_derive::Setters;

use super::Page;
use crate::{
    ErrorKind::{Forbidden, InvalidTransition, NotFound},
    api::{Paging, operations, query},
    scope::ScopeName::{ApprovalsManage, ApprovalsRead},
};
use crate::{
    caller::Actor,
    identifier::{ApprovalId, ConnectionName, Identifier},
    state::ApprovalState,
};

operations! {
    /// Lists approvals, newest first.
    list: ListApprovals { ; query filter: ApprovalFilter, query page: Paging } -> Page<Approval>
        = GET "/v1/approvals" { scope: Some(ApprovalsRead) }
    /// Reads an approval with the exact arguments of its call.
    read: ReadApproval { approval_id } -> Approval
        = GET "/v1/approvals/{approval_id}" { scope: Some(ApprovalsRead), errors: &[NotFound] }
    /// Approves a call, which can then be made once.
    approve: ApproveCall { approval_id; body decision: ApprovalDecision } -> Approval
        = POST "/v1/approvals/{approval_id}/approve" {
            scope: Some(ApprovalsManage), errors: &[NotFound, InvalidTransition, Forbidden],
        }
    /// Denies a call.
    deny: DenyCall { approval_id; body decision: ApprovalDecision } -> Approval
        = POST "/v1/approvals/{approval_id}/deny" {
            scope: Some(ApprovalsManage), errors: &[NotFound, InvalidTransition, Forbidden],
        }
}

/// A call that waits for a person's approval because of a policy. An approval is valid for exactly these arguments,
/// once.
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
    /// ID.
    pub approval_id: ApprovalId,
    /// State.
    pub state: ApprovalState,
    /// The caller.
    pub asked_by: Actor,
    /// Name of the connection.
    pub connection_name: ConnectionName,
    /// Product.
    pub product: String,
    /// Your application's ID of the user.
    pub identifier: Identifier,
    /// Name of the tool. Absent for a raw request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Version of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Method of a raw request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Path of a raw request, without the query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The exact arguments: the tool's input, or the method, path with query, headers and body of each raw request.
    /// Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Name of the policy that requires the approval.
    pub policy: String,
    /// The policy's rule, as a JSON Pointer.
    pub rule: String,
    /// When it was requested.
    pub created_at: Timestamp,
    /// When it expires, whether it was used or not.
    pub expires_at: Timestamp,
    /// The person who approved or denied it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Actor>,
    /// When the person decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// The person's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A person's decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = json!({ "reason": "asked the customer" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovalDecision {
    /// The reason, which is stored in the approval. At most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ApprovalDecision {
    /// A decision with this reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self {
            reason: Some(reason.into()),
        }
    }
}

query! {
    /// Which approvals to list. All of them by default.
    #[derive(Copy)]
    pub struct ApprovalFilter {
        /// Only approvals in this state.
        pub state: Option<ApprovalState>,
    }
}

impl ApprovalFilter {
    /// Only approvals in this state.
    pub fn in_state(state: ApprovalState) -> Self {
        Self { state: Some(state) }
    }
}
