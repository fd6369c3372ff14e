//! Resources of the API: connections, accounts, links, tools, executions and more. The service sends them as JSON, and
//! the library returns them.

mod account;
mod account_import;
mod account_token;
mod app_credential;
mod approval;
mod audit;
mod authorization;
mod call;
mod connection;
mod event;
mod event_type;
mod file;
mod history;
mod key;
mod mcp_session;
mod member;
#[cfg(feature = "platform")]
pub(crate) mod pattern;
mod plan;
mod policy;
mod tool;
mod webhook;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use account::{
    Account, AccountFilter, AlsoEnded, AuthorizationLink, Disconnected, Disconnection,
    ErasureProgress, NewAuthorizationLink, Revocation,
};
pub use account_import::{
    AccountImport, AccountImportResult, AccountImportResults, AccountWithTokens, AccountsExported,
    ExistingAccounts, ImportOutcome,
};
pub use account_token::{AccountToken, IssuedAccountToken, NewAccountToken};
pub use app_credential::{
    AppCredential, AppCredentialChange, AppSecret, IssuedAppSecret, NewAppCredential,
    SecretRotation,
};
pub use approval::{Approval, ApprovalDecision, ApprovalFilter};
pub use audit::{
    AuditEntry, AuditFault, AuditFilter, AuditHead, AuditTarget, AuditVerification, SuspectRow,
};
pub use authorization::Authorization;
pub use call::{ExecuteRequest, Execution, ProxyRequest};
pub use connection::{Connection, ConnectionChange, NewConnection};
pub use event::{Event, EventFilter, EventPage};
pub use event_type::{EVENT_TYPES, EventType};
pub use file::{ByteRange, LeftOut, ResultFile};
pub use history::{CallDurations, CallTotals, ExecutionFilter, ExecutionRecord, TotalsStep};
pub use key::{DataKey, FailedRow, KeyActivation, Keys, Reencryption};
pub use mcp_session::{IssuedMcpSession, McpSession, NewMcpSession};
pub use member::{IssuedMemberLink, Member, MemberChange, MemberReset, NewMember, NewSecondFactor};
pub use plan::{Plan, PlannedRequest};
pub use policy::{
    ApprovalRules, ClassifiedRequest, FactRule, Policy, PolicyDecision, PolicyOutcome, PolicyTest,
    RequestFact, RequestRule, ToolRules,
};
pub use tool::{ExportedTools, Readiness, ToolDescription, ToolFilter};
pub use webhook::{
    NewWebhook, Webhook, WebhookChange, WebhookDelivery, WebhookReplay, WebhookWithSecret,
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
