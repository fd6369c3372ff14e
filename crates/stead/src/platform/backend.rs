//! The operations of an application, in this process.

use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use stead_core::{
    Error, ErrorKind,
    agent::{ToolCallResults, ToolCalls},
    environment::Environment,
    ports::{Limits, TransportErrorKind},
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

use crate::handles::backend::{Backend, Paging, Pending, User};

impl Backend for Environment {
    fn create_connection(&self, new: NewConnection) -> Pending<'_, Connection> {
        Box::pin(self.create_connection(new))
    }
    fn connections(&self, paging: Paging) -> Pending<'_, Page<Connection>> {
        Box::pin(async move { self.connections(paging.token.as_deref(), paging.size).await })
    }
    fn connection<'a>(&'a self, name: &'a str) -> Pending<'a, Connection> {
        Box::pin(self.connection(name))
    }
    fn change_connection<'a>(
        &'a self,
        name: &'a str,
        change: ConnectionChange,
    ) -> Pending<'a, Connection> {
        Box::pin(self.change_connection(name, change))
    }
    fn delete_connection<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(self.delete_connection(name))
    }

    fn create_authorization_link(
        &self,
        new: NewAuthorizationLink,
    ) -> Pending<'_, AuthorizationLink> {
        Box::pin(self.create_authorization_link(new))
    }
    fn authorization<'a>(&'a self, authorization_id: &'a str) -> Pending<'a, Authorization> {
        Box::pin(self.authorization(authorization_id))
    }
    fn verify_authorization<'a>(
        &'a self,
        authorization_id: &'a str,
        identifier: &'a str,
    ) -> Pending<'a, Account> {
        Box::pin(self.verify_authorization(authorization_id, identifier))
    }

    fn accounts(&self, filter: AccountFilter, paging: Paging) -> Pending<'_, Page<Account>> {
        Box::pin(async move {
            self.accounts(&filter, paging.token.as_deref(), paging.size)
                .await
        })
    }
    fn account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(self.account(user.connection_name.as_str(), user.identifier.as_str()))
    }
    fn refresh_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(self.refresh_account(user.connection_name.as_str(), user.identifier.as_str()))
    }
    fn suspend_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(self.suspend_account(user.connection_name.as_str(), user.identifier.as_str()))
    }
    fn resume_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(self.resume_account(user.connection_name.as_str(), user.identifier.as_str()))
    }
    fn disconnect_account<'a>(
        &'a self,
        user: &'a User,
        how: Disconnection,
    ) -> Pending<'a, Disconnected> {
        Box::pin(self.disconnect_account(
            user.connection_name.as_str(),
            user.identifier.as_str(),
            how,
        ))
    }

    fn import_accounts(&self, import: AccountImport) -> Pending<'_, AccountImportResults> {
        Box::pin(self.import_accounts(import))
    }

    fn create_account_token(&self, new: NewAccountToken) -> Pending<'_, IssuedAccountToken> {
        Box::pin(self.create_account_token(new))
    }
    fn account_tokens<'a>(
        &'a self,
        user: &'a User,
        paging: Paging,
    ) -> Pending<'a, Page<AccountToken>> {
        Box::pin(async move {
            let names = (user.connection_name.as_str(), user.identifier.as_str());
            self.account_tokens(names.0, names.1, paging.token.as_deref(), paging.size)
                .await
        })
    }
    fn delete_account_token<'a>(&'a self, token_id: &'a str) -> Pending<'a, ()> {
        Box::pin(self.delete_account_token(token_id))
    }

    fn create_mcp_session(&self, new: NewMcpSession) -> Pending<'_, IssuedMcpSession> {
        Box::pin(self.create_mcp_session(new))
    }
    fn mcp_sessions(
        &self,
        identifier: Option<String>,
        paging: Paging,
    ) -> Pending<'_, Page<McpSession>> {
        Box::pin(async move {
            let (token, size) = (paging.token.as_deref(), paging.size);
            self.mcp_sessions(identifier.as_deref(), token, size).await
        })
    }
    fn mcp_session<'a>(&'a self, id: &'a str) -> Pending<'a, McpSession> {
        Box::pin(self.mcp_session(id))
    }
    fn delete_mcp_session<'a>(&'a self, id: &'a str) -> Pending<'a, ()> {
        Box::pin(self.delete_mcp_session(id))
    }

    fn create_app_credential(&self, new: NewAppCredential) -> Pending<'_, IssuedAppSecret> {
        Box::pin(self.create_app_credential(new))
    }
    fn app_credentials(&self, paging: Paging) -> Pending<'_, Page<AppCredential>> {
        Box::pin(async move {
            self.app_credentials(paging.token.as_deref(), paging.size)
                .await
        })
    }
    fn app_credential<'a>(&'a self, client_id: &'a str) -> Pending<'a, AppCredential> {
        Box::pin(self.app_credential(client_id))
    }
    fn change_app_credential<'a>(
        &'a self,
        client_id: &'a str,
        change: AppCredentialChange,
    ) -> Pending<'a, AppCredential> {
        Box::pin(self.change_app_credential(client_id, change))
    }
    fn rotate_app_credential<'a>(
        &'a self,
        client_id: &'a str,
        rotation: SecretRotation,
    ) -> Pending<'a, IssuedAppSecret> {
        Box::pin(self.rotate_app_credential(client_id, rotation))
    }
    fn revoke_app_secret<'a>(
        &'a self,
        client_id: &'a str,
        secret_id: &'a str,
    ) -> Pending<'a, AppCredential> {
        Box::pin(self.revoke_app_secret(client_id, secret_id))
    }
    fn revoke_app_credential<'a>(&'a self, client_id: &'a str) -> Pending<'a, ()> {
        Box::pin(self.revoke_app_credential(client_id))
    }

    fn invite_member(&self, new: NewMember) -> Pending<'_, IssuedMemberLink> {
        Box::pin(self.invite_member(new))
    }
    fn members(&self, paging: Paging) -> Pending<'_, Page<Member>> {
        Box::pin(async move { self.members(paging.token.as_deref(), paging.size).await })
    }
    fn member<'a>(&'a self, id: &'a str) -> Pending<'a, Member> {
        Box::pin(self.member(id))
    }
    fn change_member<'a>(&'a self, id: &'a str, change: MemberChange) -> Pending<'a, Member> {
        Box::pin(self.change_member(id, change))
    }
    fn reset_member<'a>(&'a self, id: &'a str, how: MemberReset) -> Pending<'a, IssuedMemberLink> {
        Box::pin(self.reset_member(id, how))
    }
    fn delete_member<'a>(&'a self, id: &'a str) -> Pending<'a, ()> {
        Box::pin(self.delete_member(id))
    }

    fn keys(&self, count_rows: bool) -> Pending<'_, Keys> {
        Box::pin(self.keys(count_rows))
    }
    fn add_key(&self) -> Pending<'_, DataKey> {
        Box::pin(self.add_key())
    }
    fn activate_key<'a>(&'a self, key_id: &'a str, how: KeyActivation) -> Pending<'a, DataKey> {
        Box::pin(self.activate_key(key_id, how.at_once))
    }
    fn start_reencryption(&self) -> Pending<'_, Reencryption> {
        Box::pin(self.start_reencryption())
    }
    fn retire_key<'a>(&'a self, key_id: &'a str) -> Pending<'a, DataKey> {
        Box::pin(self.retire_key(key_id))
    }
    fn rewrap_keys(&self) -> Pending<'_, Keys> {
        Box::pin(async move {
            self.rewrap_keys().await?;
            self.keys(false).await
        })
    }

    fn events(
        &self,
        filter: EventFilter,
        after: Option<String>,
        limit: u32,
        wait: Duration,
    ) -> Pending<'_, EventPage> {
        Box::pin(async move { self.events(&filter, after.as_deref(), limit, wait).await })
    }
    fn executions(
        &self,
        filter: ExecutionFilter,
        paging: Paging,
    ) -> Pending<'_, Page<ExecutionRecord>> {
        Box::pin(async move {
            self.executions(&filter, paging.token.as_deref(), paging.size)
                .await
        })
    }
    fn execution<'a>(&'a self, execution_id: &'a str) -> Pending<'a, ExecutionRecord> {
        Box::pin(self.execution(execution_id))
    }
    fn execution_totals(
        &self,
        step: TotalsStep,
        since: Timestamp,
        before: Timestamp,
    ) -> Pending<'_, Vec<CallTotals>> {
        Box::pin(self.execution_totals(step, since, before))
    }

    fn tools(&self, filter: ToolFilter) -> Pending<'_, Vec<ToolDescription>> {
        Box::pin(self.tools(filter))
    }
    fn tool<'a>(&'a self, name: &'a str) -> Pending<'a, ToolDescription> {
        Box::pin(std::future::ready(self.tool(name)))
    }
    fn export_tools(&self, filter: ToolFilter, format: ExportFormat) -> Pending<'_, ExportedTools> {
        Box::pin(async move { self.export_tools(&filter, format).await })
    }
    fn meta_tools(&self, format: ExportFormat) -> Pending<'_, ExportedTools> {
        Box::pin(std::future::ready(self.meta_tools(format)))
    }
    fn tool_calls(&self, request: ToolCalls) -> Pending<'_, ToolCallResults> {
        Box::pin(self.tool_calls(request))
    }
    fn execute<'a>(
        &'a self,
        tool: &'a str,
        request: ExecuteRequest,
        _effect: Option<Effect>,
    ) -> Pending<'a, Execution> {
        Box::pin(self.execute(tool, request))
    }
    fn read_result<'a>(
        &'a self,
        handle: &'a str,
        range: Option<ByteRange>,
    ) -> Pending<'a, ResultFile> {
        Box::pin(async move {
            let file = self.read_result(handle).await?;
            match range {
                Some(range) => file.range(range),
                None => Ok(file),
            }
        })
    }
    fn proxy(&self, request: ProxyRequest) -> Pending<'_, http::Response<Bytes>> {
        Box::pin(async move {
            let (head, body) = self.proxy(request).await?.into_parts();
            let body = body.collect(Limits::DEFAULT.response_bytes).await;
            let body = body.map_err(|error| {
                let kind = match error.kind() {
                    TransportErrorKind::TooLarge => ErrorKind::ResponseTooLarge,
                    _ => ErrorKind::UpstreamTruncated,
                };
                let message = format!("the product's response was not read: {error}");
                Error::new(kind, message).with_source(error)
            })?;
            Ok(http::Response::from_parts(head, body))
        })
    }

    fn audit_entries(&self, filter: AuditFilter, paging: Paging) -> Pending<'_, Page<AuditEntry>> {
        Box::pin(async move {
            self.audit_entries(&filter, paging.token.as_deref(), paging.size)
                .await
        })
    }
    fn verify_audit(&self, expect: Option<AuditHead>) -> Pending<'_, AuditVerification> {
        Box::pin(async move { self.verify_audit(expect.as_ref()).await })
    }

    fn create_webhook(&self, new: NewWebhook) -> Pending<'_, WebhookWithSecret> {
        Box::pin(self.create_webhook(new))
    }
    fn webhooks(&self, paging: Paging) -> Pending<'_, Page<Webhook>> {
        Box::pin(async move { self.webhooks(paging.token.as_deref(), paging.size).await })
    }
    fn webhook<'a>(&'a self, id: &'a str) -> Pending<'a, Webhook> {
        Box::pin(self.webhook(id))
    }
    fn change_webhook<'a>(&'a self, id: &'a str, change: WebhookChange) -> Pending<'a, Webhook> {
        Box::pin(self.change_webhook(id, change))
    }
    fn delete_webhook<'a>(&'a self, id: &'a str) -> Pending<'a, ()> {
        Box::pin(self.delete_webhook(id))
    }
    fn rotate_webhook_secret<'a>(&'a self, id: &'a str) -> Pending<'a, WebhookWithSecret> {
        Box::pin(self.rotate_webhook_secret(id))
    }
    fn test_webhook<'a>(&'a self, id: &'a str) -> Pending<'a, WebhookDelivery> {
        Box::pin(self.test_webhook(id))
    }
    fn webhook_deliveries<'a>(
        &'a self,
        id: &'a str,
        paging: Paging,
    ) -> Pending<'a, Page<WebhookDelivery>> {
        Box::pin(async move {
            self.webhook_deliveries(id, None, paging.token.as_deref(), paging.size)
                .await
        })
    }
    fn replay_webhook_delivery<'a>(
        &'a self,
        id: &'a str,
        event_id: &'a str,
    ) -> Pending<'a, WebhookDelivery> {
        Box::pin(self.replay_webhook_delivery(id, event_id))
    }
    fn replay_webhook<'a>(&'a self, id: &'a str, replay: WebhookReplay) -> Pending<'a, Webhook> {
        Box::pin(async move { self.replay_webhook(id, &replay).await })
    }
}
