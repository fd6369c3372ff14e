//! Approvals of calls that a person needs to approve.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_derive::Setters;

use super::Page;
use crate::{
    ErrorKind::{Forbidden, InvalidTransition, NotFound},
    api::{Paging, operations, query, resource},
    caller::Actor,
    identifier::{ApprovalId, ConnectionName, Identifier},
    product::Preview,
    scope::ScopeName::{ApprovalsManage, ApprovalsRead},
    state::ApprovalState,
};
#[cfg(feature = "platform")]
use crate::{
    digest::Digest,
    domain::Extra,
    identifier::{AccountId, ConnectionId},
    sealed::{Sealed, place},
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
            audit: &["approval.approved"],
        }
    /// Denies a call.
    deny: DenyCall { approval_id; body decision: ApprovalDecision } -> Approval
        = POST "/v1/approvals/{approval_id}/deny" {
            scope: Some(ApprovalsManage), errors: &[NotFound, InvalidTransition, Forbidden],
            audit: &["approval.denied"],
        }
}

resource! {
    /// A call that waits for a person's approval because of a policy. An approval is valid for exactly these arguments,
    /// once.
    #[schemars(example = json!({
        "approval_id": "appr_01a2037b052070199760437deb0e58e8", "state": "pending",
        "asked_by": { "type": "application", "id": "app_01a2037b035070009412e81b2b61a1aa" },
        "connection_name": "mail", "product": "mail", "identifier": "user-1", "tool": "mail_list_threads",
        "tool_version": "2026-11-21",
        "policy": "mail-agent", "rule": "/requires_approval/tools/0", "created_at": "2026-11-22T13:38:43Z",
        "expires_at": "2026-11-22T14:38:43Z",
    }))]
    pub struct Approval, stored as ApprovalRow, shown with (row, now: Timestamp) {
        /// ID.
        pub approval_id: ApprovalId = stored as id,
        /// Digest of the caller, the account with its client, the tool or request, and the arguments.
        private call: Digest,
        /// State.
        pub state: ApprovalState = computed row.state_at(now),
        private state: ApprovalState,
        /// The caller.
        pub asked_by: Actor = stored,
        private connection_id: ConnectionId,
        /// Name of the connection.
        pub connection_name: ConnectionName = stored,
        /// Product.
        pub product: String = stored,
        private account_id: AccountId,
        /// Your application's ID of the user.
        pub identifier: Identifier = stored,
        /// Name of the tool. Absent for a raw request.
        pub tool: Option<String> = computed row.tool.clone().map(|(name, _)| name),
        /// Version of the tool.
        pub tool_version: Option<String> = computed row.tool.map(|(_, version)| version),
        /// Method of a raw request.
        pub method: Option<String> = computed row.request.clone().map(|(method, _)| method),
        /// Path of a raw request, without the query.
        pub path: Option<String> = computed row.request.map(|(_, path)| path),
        /// The tool and its version.
        private tool: Option<(String, String)>,
        /// Method and path of a raw request, without the query.
        private request: Option<(String, String)>,
        /// The exact arguments: the tool's input, or the method, path with query, headers and body of each raw request.
        /// Absent in lists.
        pub arguments: Option<Value> = computed None,
        /// The exact arguments, as JSON.
        private arguments: Sealed<place::Arguments>,
        /// The first request with which the tool will change something, such as the mail that it sends. The approval is
        /// valid for exactly this request. Absent in lists, and for a raw request, which `arguments` shows.
        pub request: Option<ApprovedRequest> = computed None,
        /// The content of the request as a person sees it, such as the mail with its recipients. Absent in lists, and
        /// if the request itself says enough.
        pub preview: Option<Preview> = computed None,
        /// The request, as JSON.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private request_to_send: Option<Sealed<place::ApprovedRequest>>,
        /// Name of the policy that requires the approval.
        pub policy: String = stored,
        /// The policy's rule, as a JSON Pointer.
        pub rule: String = stored,
        /// When it was requested.
        pub created_at: Timestamp = stored,
        /// When it expires, whether it was used or not.
        pub expires_at: Timestamp = stored,
        /// The person who approved or denied it.
        pub decided_by: Option<Actor> = stored #[serde(default)],
        /// When the person decided.
        pub decided_at: Option<Timestamp> = stored #[serde(default)],
        /// The person's reason.
        pub reason: Option<String> = stored #[serde(default)],
        #[serde(flatten)]
        private extra: Extra,
    }
}

/// A request that a tool sends after approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ApprovedRequest {
    /// HTTP method.
    pub method: String,
    /// Path and query at the product.
    pub path: String,
    /// The header `Content-Type`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The body, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
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
