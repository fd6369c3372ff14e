//! Every operation of an application, which the platform and the client of a service both have.

mod policies;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use stead_core::{
    Result,
    agent::{ToolCallResults, ToolCalls},
    identifier::{ConnectionName, Identifier},
    ports::BoxFuture,
    resource::{
        Account, AccountFilter, AccountImport, AccountImportResults, AccountToken, AppCredential,
        AppCredentialChange, AuditEntry, AuditFilter, AuditHead, AuditVerification, Authorization,
        AuthorizationLink, ByteRange, CallTotals, Connection, ConnectionChange, DataKey,
        Disconnected, Disconnection, EventFilter, EventPage, ExecuteRequest, Execution,
        ExecutionFilter, ExecutionRecord, ExportedTools, IssuedAccountToken, IssuedAppSecret,
        IssuedMcpSession, IssuedMemberLink, KeyActivation, Keys, McpSession, Member, MemberChange,
        MemberReset, NewAccountToken, NewAppCredential, NewAuthorizationLink, NewConnection,
        NewMcpSession, NewMember, NewWebhook, Page, ProxyRequest, Reencryption, ResultFile,
        SecretRotation, ToolDescription, ToolFilter, TotalsStep, Webhook, WebhookChange,
        WebhookDelivery, WebhookReplay, WebhookWithSecret,
    },
    schema::ExportFormat,
    tool::Effect,
};

pub(crate) use policies::PolicyBackend;

/// A backend that the handles over it share.
pub(crate) type Shared = Arc<dyn Backend>;
/// The result of an operation, to be awaited.
pub(crate) type Pending<'a, T> = BoxFuture<'a, Result<T>>;

/// The platform or the service behind every handle. A new operation is a method here, so that neither lacks it.
pub(crate) trait Backend: PolicyBackend + Send + Sync + 'static {
    fn create_connection(&self, new: NewConnection) -> Pending<'_, Connection>;
    fn connections(&self, paging: Paging) -> Pending<'_, Page<Connection>>;
    fn connection<'a>(&'a self, name: &'a str) -> Pending<'a, Connection>;
    fn change_connection<'a>(
        &'a self,
        name: &'a str,
        change: ConnectionChange,
    ) -> Pending<'a, Connection>;
    fn delete_connection<'a>(&'a self, name: &'a str) -> Pending<'a, ()>;

    fn create_authorization_link(
        &self,
        new: NewAuthorizationLink,
    ) -> Pending<'_, AuthorizationLink>;
    fn authorization<'a>(&'a self, authorization_id: &'a str) -> Pending<'a, Authorization>;
    fn verify_authorization<'a>(
        &'a self,
        authorization_id: &'a str,
        identifier: &'a str,
    ) -> Pending<'a, Account>;

    fn accounts(&self, filter: AccountFilter, paging: Paging) -> Pending<'_, Page<Account>>;
    fn account<'a>(&'a self, user: &'a User) -> Pending<'a, Account>;
    fn refresh_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account>;
    fn suspend_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account>;
    fn resume_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account>;
    fn disconnect_account<'a>(
        &'a self,
        user: &'a User,
        how: Disconnection,
    ) -> Pending<'a, Disconnected>;

    fn import_accounts(&self, import: AccountImport) -> Pending<'_, AccountImportResults>;

    fn create_account_token(&self, new: NewAccountToken) -> Pending<'_, IssuedAccountToken>;
    fn account_tokens<'a>(
        &'a self,
        user: &'a User,
        paging: Paging,
    ) -> Pending<'a, Page<AccountToken>>;
    fn delete_account_token<'a>(&'a self, token_id: &'a str) -> Pending<'a, ()>;

    fn create_mcp_session(&self, new: NewMcpSession) -> Pending<'_, IssuedMcpSession>;
    fn mcp_sessions(
        &self,
        identifier: Option<String>,
        paging: Paging,
    ) -> Pending<'_, Page<McpSession>>;
    fn mcp_session<'a>(&'a self, id: &'a str) -> Pending<'a, McpSession>;
    fn delete_mcp_session<'a>(&'a self, id: &'a str) -> Pending<'a, ()>;

    fn create_app_credential(&self, new: NewAppCredential) -> Pending<'_, IssuedAppSecret>;
    fn app_credentials(&self, paging: Paging) -> Pending<'_, Page<AppCredential>>;
    fn app_credential<'a>(&'a self, client_id: &'a str) -> Pending<'a, AppCredential>;
    fn change_app_credential<'a>(
        &'a self,
        client_id: &'a str,
        change: AppCredentialChange,
    ) -> Pending<'a, AppCredential>;
    fn rotate_app_credential<'a>(
        &'a self,
        client_id: &'a str,
        rotation: SecretRotation,
    ) -> Pending<'a, IssuedAppSecret>;
    fn revoke_app_secret<'a>(
        &'a self,
        client_id: &'a str,
        secret_id: &'a str,
    ) -> Pending<'a, AppCredential>;
    fn revoke_app_credential<'a>(&'a self, client_id: &'a str) -> Pending<'a, ()>;

    fn invite_member(&self, new: NewMember) -> Pending<'_, IssuedMemberLink>;
    fn members(&self, paging: Paging) -> Pending<'_, Page<Member>>;
    fn member<'a>(&'a self, id: &'a str) -> Pending<'a, Member>;
    fn change_member<'a>(&'a self, id: &'a str, change: MemberChange) -> Pending<'a, Member>;
    fn reset_member<'a>(&'a self, id: &'a str, how: MemberReset) -> Pending<'a, IssuedMemberLink>;
    fn delete_member<'a>(&'a self, id: &'a str) -> Pending<'a, ()>;

    fn keys(&self, count_rows: bool) -> Pending<'_, Keys>;
    fn add_key(&self) -> Pending<'_, DataKey>;
    fn activate_key<'a>(&'a self, key_id: &'a str, how: KeyActivation) -> Pending<'a, DataKey>;
    fn start_reencryption(&self) -> Pending<'_, Reencryption>;
    fn retire_key<'a>(&'a self, key_id: &'a str) -> Pending<'a, DataKey>;
    fn rewrap_keys(&self) -> Pending<'_, Keys>;

    fn events(
        &self,
        filter: EventFilter,
        after: Option<String>,
        limit: u32,
        wait: Duration,
    ) -> Pending<'_, EventPage>;
    fn executions(
        &self,
        filter: ExecutionFilter,
        paging: Paging,
    ) -> Pending<'_, Page<ExecutionRecord>>;
    fn execution<'a>(&'a self, execution_id: &'a str) -> Pending<'a, ExecutionRecord>;
    fn execution_totals(
        &self,
        step: TotalsStep,
        since: Timestamp,
        before: Timestamp,
    ) -> Pending<'_, Vec<CallTotals>>;

    fn tools(&self, filter: ToolFilter) -> Pending<'_, Vec<ToolDescription>>;
    fn tool<'a>(&'a self, name: &'a str) -> Pending<'a, ToolDescription>;
    fn export_tools(&self, filter: ToolFilter, format: ExportFormat) -> Pending<'_, ExportedTools>;
    fn meta_tools(&self, format: ExportFormat) -> Pending<'_, ExportedTools>;
    fn tool_calls(&self, request: ToolCalls) -> Pending<'_, ToolCallResults>;
    /// `effect` is what the call can do to the user's data, where the caller knows.
    fn execute<'a>(
        &'a self,
        tool: &'a str,
        request: ExecuteRequest,
        effect: Option<Effect>,
    ) -> Pending<'a, Execution>;
    fn read_result<'a>(
        &'a self,
        handle: &'a str,
        range: Option<ByteRange>,
    ) -> Pending<'a, ResultFile>;
    fn proxy(&self, request: ProxyRequest) -> Pending<'_, http::Response<Bytes>>;

    fn create_webhook(&self, new: NewWebhook) -> Pending<'_, WebhookWithSecret>;
    fn webhooks(&self, paging: Paging) -> Pending<'_, Page<Webhook>>;
    fn webhook<'a>(&'a self, id: &'a str) -> Pending<'a, Webhook>;
    fn change_webhook<'a>(&'a self, id: &'a str, change: WebhookChange) -> Pending<'a, Webhook>;
    fn delete_webhook<'a>(&'a self, id: &'a str) -> Pending<'a, ()>;
    fn rotate_webhook_secret<'a>(&'a self, id: &'a str) -> Pending<'a, WebhookWithSecret>;
    fn test_webhook<'a>(&'a self, id: &'a str) -> Pending<'a, WebhookDelivery>;
    fn webhook_deliveries<'a>(
        &'a self,
        id: &'a str,
        paging: Paging,
    ) -> Pending<'a, Page<WebhookDelivery>>;
    fn replay_webhook_delivery<'a>(
        &'a self,
        id: &'a str,
        event_id: &'a str,
    ) -> Pending<'a, WebhookDelivery>;
    fn replay_webhook<'a>(&'a self, id: &'a str, replay: WebhookReplay) -> Pending<'a, Webhook>;

    fn audit_entries(&self, filter: AuditFilter, paging: Paging) -> Pending<'_, Page<AuditEntry>>;
    fn verify_audit(&self, expect: Option<AuditHead>) -> Pending<'_, AuditVerification>;
}

/// A user of a connection, parsed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) connection_name: ConnectionName,
    pub(crate) identifier: Identifier,
}

impl User {
    pub(crate) fn new(connection_name: &str, identifier: &str) -> Result<Self> {
        Ok(Self {
            connection_name: ConnectionName::new(connection_name)?,
            identifier: Identifier::new(identifier)?,
        })
    }
}

/// Which page of a list.
#[derive(Debug, Clone)]
pub(crate) struct Paging {
    pub(crate) token: Option<String>,
    pub(crate) size: u32,
}

impl Default for Paging {
    fn default() -> Self {
        Self {
            token: None,
            size: 50,
        }
    }
}
