//! Resources of the API: connections, accounts, links, tools, executions and more. The service sends them as JSON, and
//! the library returns them.

pub(crate) mod account;
pub(crate) mod account_import;
pub(crate) mod account_token;
pub(crate) mod app_credential;
pub(crate) mod approval;
pub(crate) mod audit;
pub(crate) mod authorization;
mod call;
pub(crate) mod connection;
pub(crate) mod event;
mod event_type;
mod file;
pub(crate) mod history;
pub(crate) mod key;
pub(crate) mod mcp_session;
pub(crate) mod member;
#[cfg(feature = "platform")]
pub(crate) mod pattern;
mod plan;
pub(crate) mod policy;
mod secret;
mod tool;
pub(crate) mod webhook;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use account::{
    Account, AccountFilter, AlsoEnded, AuthorizationLink, DisconnectAccount, Disconnected,
    Disconnection, ErasureProgress, ListAccounts, NewAuthorizationLink, ReadAccount,
    RefreshAccount, ResumeAccount, Revocation, SuspendAccount,
};
pub use account_import::{
    AccountImport, AccountImportResult, AccountImportResults, AccountWithTokens, AccountsExported,
    ExistingAccounts, ImportOutcome,
};
pub use account_token::{
    AccountToken, DeleteAccountToken, IssuedAccountToken, ListAccountTokens, NewAccountToken,
    TokensOfAccount,
};
pub use app_credential::{
    AppCredential, AppCredentialChange, AppSecret, ChangeAppCredential, DeleteAppCredential,
    IssuedAppSecret, ListAppCredentials, NewAppCredential, ReadAppCredential, RevokeAppSecret,
    RotateAppCredential, SecretRotation,
};
pub use approval::{
    Approval, ApprovalDecision, ApprovalFilter, ApproveCall, ApprovedRequest, DenyCall,
    ListApprovals, ReadApproval,
};
pub use audit::{
    AuditEntry, AuditFault, AuditFilter, AuditHead, AuditTarget, AuditVerification, ExpectedAudit,
    ListAuditEntries, SuspectRow, VerifyAudit,
};
pub use authorization::{Authorization, ReadAuthorization, ReturnedUser, VerifyAuthorization};
pub use call::{ExecuteRequest, Execution, ProxyRequest};
pub use connection::{
    ChangeConnection, Connection, ConnectionChange, DeleteConnection, ListConnections,
    NewConnection, ReadConnection,
};
pub use event::{Event, EventFilter, EventPage};
pub use event_type::{EVENT_TYPES, EventType};
pub use file::{ByteRange, LeftOut, ResultFile};
pub use history::{
    CallDurations, CallTotals, CountExecutions, ExecutionFilter, ExecutionRecord, ListExecutions,
    ReadExecution, TotalsSpan, TotalsStep,
};
pub use key::{
    ActivateKey, AddKey, DataKey, FailedRow, KeyActivation, KeyCount, Keys, ListKeys, ReencryptAll,
    Reencryption, RetireKey, RewrapKeys,
};
pub use mcp_session::{
    DeleteMcpSession, IssuedMcpSession, ListMcpSessions, McpSession, McpSessionFilter,
    NewMcpSession, ReadMcpSession,
};
pub use member::{
    ChangeMember, DeleteMember, IssuedMemberLink, ListMembers, Member, MemberChange, MemberReset,
    NewMember, NewSecondFactor, ReadMember, ResetMember,
};
pub use plan::{Plan, PlannedRequest};
pub use policy::{
    ApprovalRules, ClassifiedRequest, DeletePolicy, FactRule, ListPolicies, NewPolicy, Policy,
    PolicyDecision, PolicyOutcome, PolicyTest, ReadPolicy, RequestFact, RequestRule, SetPolicy,
    ToolRules,
};
pub use tool::{ExportedTools, Readiness, ToolDescription, ToolFilter};
pub use webhook::{
    ChangeWebhook, DeleteWebhook, DeliveryFilter, ListWebhookDeliveries, ListWebhooks, NewWebhook,
    ReadWebhook, ReplayWebhook, ReplayWebhookDelivery, RotateWebhookSecret, TestWebhook, Webhook,
    WebhookChange, WebhookDelivery, WebhookReplay, WebhookWithSecret,
};

pub use crate::state::{
    AccountHealth, AccountReason, AccountState, ApprovalState, AuthorizationState,
    ConnectionHealth, ConnectionState, DataKeyState, DeliveryState, MemberState, Role,
    SignInMethod, TokenAccess,
};

/// One page of a list.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    /// The items, in a stable order.
    pub items: Vec<T>,
    /// Token of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<String>,
}

impl<T> Page<T> {
    /// A page with the token of the next one.
    pub fn new(items: Vec<T>, next_page_token: Option<String>) -> Self {
        Self {
            items,
            next_page_token,
        }
    }
}
