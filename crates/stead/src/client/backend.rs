//! The operations of an application, as requests to a service.

use std::time::Duration;

use bytes::Bytes;
use http::Method;
use jiff::Timestamp;
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead_core::{
    agent::{ToolCallResults, ToolCalls},
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

use super::{
    account_tokens, calls, keys, mcp_sessions, members, models,
    request::{
        ShownWebhook, account_path, connection_path, credential_path, given, parameters, query,
        webhook_path,
    },
    response,
    service::{Outgoing, Service, segment},
};
use crate::handles::backend::{Backend, Paging, Pending, User};

impl Backend for Service {
    fn create_connection(&self, new: NewConnection) -> Pending<'_, Connection> {
        Box::pin(async move {
            // Secrets are written only here, on their way to the service.
            let secret = new.client_secret.as_ref();
            let secret = secret.map(|secret| secret.expose_secret());
            let body = json!({
                "connection_name": new.connection_name,
                "product": new.product,
                "client_id": new.client_id,
                "client_secret": secret,
                "permissions": new.permissions,
                "settings": new.settings,
            });
            let request = Outgoing::json(Method::POST, "/v1/connections", &given(body))?;
            self.read(request.may_write()).await
        })
    }
    fn connections(&self, paging: Paging) -> Pending<'_, Page<Connection>> {
        Box::pin(async move { self.read_paged("/v1/connections", &[], &paging).await })
    }
    fn connection<'a>(&'a self, name: &'a str) -> Pending<'a, Connection> {
        Box::pin(async move {
            self.read(Outgoing::new(Method::GET, &connection_path(name)))
                .await
        })
    }
    fn change_connection<'a>(
        &'a self,
        name: &'a str,
        change: ConnectionChange,
    ) -> Pending<'a, Connection> {
        Box::pin(async move {
            let secret = change.client_secret.as_ref();
            let body = json!({
                "client_id": change.client_id,
                "client_secret": secret.map(|secret| secret.expose_secret()),
                "permissions": change.permissions,
                "settings": change.settings,
                "disabled": change.disabled,
            });
            let path = connection_path(name);
            self.read(Outgoing::json(Method::PATCH, &path, &given(body))?)
                .await
        })
    }
    fn delete_connection<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            let request = Outgoing::new(Method::DELETE, &connection_path(name));
            response::done(&self.send(request).await?)
        })
    }

    fn create_authorization_link(
        &self,
        new: NewAuthorizationLink,
    ) -> Pending<'_, AuthorizationLink> {
        Box::pin(async move {
            let path = "/v1/authorization-links";
            self.read(Outgoing::json(Method::POST, path, &new)?).await
        })
    }
    fn authorization<'a>(&'a self, authorization_id: &'a str) -> Pending<'a, Authorization> {
        Box::pin(async move {
            let path = format!("/v1/authorizations/{}", segment(authorization_id));
            self.read(Outgoing::new(Method::GET, &path)).await
        })
    }
    fn verify_authorization<'a>(
        &'a self,
        authorization_id: &'a str,
        identifier: &'a str,
    ) -> Pending<'a, Account> {
        Box::pin(async move {
            let path = format!("/v1/authorizations/{}/verify", segment(authorization_id));
            let body = json!({ "identifier": identifier });
            self.read(Outgoing::json(Method::POST, &path, &body)?).await
        })
    }

    fn accounts(&self, filter: AccountFilter, paging: Paging) -> Pending<'_, Page<Account>> {
        Box::pin(async move {
            let filter = [
                ("connection_name", filter.connection_name.as_deref()),
                ("product", filter.product.as_deref()),
                ("identifier", filter.identifier.as_deref()),
                ("identifier_prefix", filter.identifier_prefix.as_deref()),
                ("state", filter.state.map(|state| state.name())),
            ];
            self.read_paged("/v1/accounts", &filter, &paging).await
        })
    }
    fn account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(async move {
            self.read(Outgoing::new(Method::GET, &account_path(user)))
                .await
        })
    }
    fn refresh_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        self.change(user, "refresh")
    }
    fn suspend_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        self.change(user, "suspend")
    }
    fn resume_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        self.change(user, "resume")
    }
    fn disconnect_account<'a>(
        &'a self,
        user: &'a User,
        how: Disconnection,
    ) -> Pending<'a, Disconnected> {
        Box::pin(async move {
            let query = query(&[
                ("revoke_at_product", how.revoke_at_product.then_some("true")),
                ("erase", how.erase.then_some("true")),
                ("dry_run", how.dry_run.then_some("true")),
            ]);
            let path = format!("{}{query}", account_path(user));
            self.read(Outgoing::new(Method::DELETE, &path)).await
        })
    }

    fn import_accounts(&self, import: AccountImport) -> Pending<'_, AccountImportResults> {
        Box::pin(async move {
            let request = Outgoing::json(Method::POST, "/v1/account-imports", &import)?;
            self.read(request).await
        })
    }

    fn create_account_token(&self, new: NewAccountToken) -> Pending<'_, IssuedAccountToken> {
        Box::pin(account_tokens::create(self, new))
    }
    fn account_tokens<'a>(
        &'a self,
        user: &'a User,
        paging: Paging,
    ) -> Pending<'a, Page<AccountToken>> {
        Box::pin(account_tokens::list(self, user, paging))
    }
    fn delete_account_token<'a>(&'a self, token_id: &'a str) -> Pending<'a, ()> {
        Box::pin(account_tokens::delete(self, token_id))
    }

    fn create_mcp_session(&self, new: NewMcpSession) -> Pending<'_, IssuedMcpSession> {
        Box::pin(mcp_sessions::create(self, new))
    }
    fn mcp_sessions(
        &self,
        identifier: Option<String>,
        paging: Paging,
    ) -> Pending<'_, Page<McpSession>> {
        Box::pin(mcp_sessions::list(self, identifier, paging))
    }
    fn mcp_session<'a>(&'a self, id: &'a str) -> Pending<'a, McpSession> {
        Box::pin(mcp_sessions::read(self, id))
    }
    fn delete_mcp_session<'a>(&'a self, id: &'a str) -> Pending<'a, ()> {
        Box::pin(mcp_sessions::delete(self, id))
    }

    fn create_app_credential(&self, new: NewAppCredential) -> Pending<'_, IssuedAppSecret> {
        Box::pin(async move {
            let request = Outgoing::json(Method::POST, "/v1/app-credentials", &new)?;
            self.read(request.may_write()).await
        })
    }
    fn app_credentials(&self, paging: Paging) -> Pending<'_, Page<AppCredential>> {
        Box::pin(async move { self.read_paged("/v1/app-credentials", &[], &paging).await })
    }
    fn app_credential<'a>(&'a self, client_id: &'a str) -> Pending<'a, AppCredential> {
        Box::pin(async move {
            let request = Outgoing::new(Method::GET, &credential_path(client_id));
            self.read(request).await
        })
    }
    fn change_app_credential<'a>(
        &'a self,
        client_id: &'a str,
        change: AppCredentialChange,
    ) -> Pending<'a, AppCredential> {
        Box::pin(async move {
            let path = credential_path(client_id);
            self.read(Outgoing::json(Method::PATCH, &path, &change)?)
                .await
        })
    }
    fn rotate_app_credential<'a>(
        &'a self,
        client_id: &'a str,
        rotation: SecretRotation,
    ) -> Pending<'a, IssuedAppSecret> {
        Box::pin(async move {
            let path = format!("{}/rotate", credential_path(client_id));
            let request = Outgoing::json(Method::POST, &path, &rotation)?;
            self.read(request.may_write()).await
        })
    }
    fn revoke_app_secret<'a>(
        &'a self,
        client_id: &'a str,
        secret_id: &'a str,
    ) -> Pending<'a, AppCredential> {
        Box::pin(async move {
            let secret = segment(secret_id);
            let path = format!("{}/secrets/{secret}", credential_path(client_id));
            self.read(Outgoing::new(Method::DELETE, &path)).await
        })
    }
    fn revoke_app_credential<'a>(&'a self, client_id: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            let request = Outgoing::new(Method::DELETE, &credential_path(client_id));
            response::done(&self.send(request).await?)
        })
    }

    fn invite_member(&self, new: NewMember) -> Pending<'_, IssuedMemberLink> {
        Box::pin(members::invite(self, new))
    }
    fn members(&self, paging: Paging) -> Pending<'_, Page<Member>> {
        Box::pin(members::list(self, paging))
    }
    fn member<'a>(&'a self, id: &'a str) -> Pending<'a, Member> {
        Box::pin(members::read(self, id))
    }
    fn change_member<'a>(&'a self, id: &'a str, change: MemberChange) -> Pending<'a, Member> {
        Box::pin(members::change(self, id, change))
    }
    fn reset_member<'a>(&'a self, id: &'a str, how: MemberReset) -> Pending<'a, IssuedMemberLink> {
        Box::pin(members::reset(self, id, how))
    }
    fn delete_member<'a>(&'a self, id: &'a str) -> Pending<'a, ()> {
        Box::pin(members::delete(self, id))
    }

    fn keys(&self, count_rows: bool) -> Pending<'_, Keys> {
        Box::pin(keys::read(self, count_rows))
    }
    fn add_key(&self) -> Pending<'_, DataKey> {
        Box::pin(keys::add(self))
    }
    fn activate_key<'a>(&'a self, key_id: &'a str, how: KeyActivation) -> Pending<'a, DataKey> {
        Box::pin(keys::activate(self, key_id, how))
    }
    fn start_reencryption(&self) -> Pending<'_, Reencryption> {
        Box::pin(keys::reencrypt(self))
    }
    fn retire_key<'a>(&'a self, key_id: &'a str) -> Pending<'a, DataKey> {
        Box::pin(keys::retire(self, key_id))
    }
    fn rewrap_keys(&self) -> Pending<'_, Keys> {
        Box::pin(keys::rewrap(self))
    }

    fn events(
        &self,
        filter: EventFilter,
        after: Option<String>,
        limit: u32,
        wait: Duration,
    ) -> Pending<'_, EventPage> {
        Box::pin(async move {
            let types = filter.types.join(",");
            let (limit, wait) = (limit.to_string(), wait.as_secs().min(30).to_string());
            let parameters = [
                (
                    "types",
                    Some(types.as_str()).filter(|some| !some.is_empty()),
                ),
                ("connection_name", filter.connection_name.as_deref()),
                ("identifier", filter.identifier.as_deref()),
                ("newest_first", filter.newest_first.then_some("true")),
                ("after", after.as_deref()),
                ("limit", Some(limit.as_str())),
                ("wait", Some(wait.as_str())),
            ];
            let path = format!("/v1/events{}", query(&parameters));
            self.read(Outgoing::new(Method::GET, &path)).await
        })
    }
    fn executions(
        &self,
        filter: ExecutionFilter,
        paging: Paging,
    ) -> Pending<'_, Page<ExecutionRecord>> {
        Box::pin(async move {
            let moment = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());
            let (since, before) = (moment(filter.since), moment(filter.before));
            let filter = [
                ("connection_name", filter.connection_name.as_deref()),
                ("identifier", filter.identifier.as_deref()),
                ("tool", filter.tool.as_deref()),
                ("outcome", filter.outcome.as_deref()),
                ("actor", filter.actor.as_deref()),
                ("since", since.as_deref()),
                ("before", before.as_deref()),
            ];
            self.read_paged("/v1/executions", &filter, &paging).await
        })
    }
    fn execution<'a>(&'a self, execution_id: &'a str) -> Pending<'a, ExecutionRecord> {
        Box::pin(async move {
            let path = format!("/v1/executions/{}", segment(execution_id));
            self.read(Outgoing::new(Method::GET, &path)).await
        })
    }
    fn execution_totals(
        &self,
        step: TotalsStep,
        since: Timestamp,
        before: Timestamp,
    ) -> Pending<'_, Vec<CallTotals>> {
        Box::pin(async move {
            let (since, before) = (since.to_string(), before.to_string());
            let parameters = [
                ("by", Some(step.name())),
                ("since", Some(since.as_str())),
                ("before", Some(before.as_str())),
            ];
            let page = self.read_page("/v1/executions/totals", &parameters);
            Ok(page.await?.items)
        })
    }

    fn tools(&self, filter: ToolFilter) -> Pending<'_, Vec<ToolDescription>> {
        Box::pin(async move {
            let products = filter.products.join(",");
            let parameters = parameters(&filter, &products);
            Ok(self.read_page("/v1/tools", &parameters).await?.items)
        })
    }
    fn tool<'a>(&'a self, name: &'a str) -> Pending<'a, ToolDescription> {
        Box::pin(async move {
            let path = format!("/v1/tools/{}", segment(name));
            self.read(Outgoing::new(Method::GET, &path)).await
        })
    }
    fn export_tools(&self, filter: ToolFilter, format: ExportFormat) -> Pending<'_, ExportedTools> {
        models::export_tools(self, filter, format)
    }
    fn meta_tools(&self, format: ExportFormat) -> Pending<'_, ExportedTools> {
        models::meta_tools(self, format)
    }
    fn tool_calls(&self, request: ToolCalls) -> Pending<'_, ToolCallResults> {
        models::tool_calls(self, request)
    }
    fn execute<'a>(
        &'a self,
        tool: &'a str,
        request: ExecuteRequest,
        effect: Option<Effect>,
    ) -> Pending<'a, Execution> {
        calls::execute(self, tool, request, effect)
    }
    fn read_result<'a>(
        &'a self,
        handle: &'a str,
        range: Option<ByteRange>,
    ) -> Pending<'a, ResultFile> {
        calls::read_result(self, handle, range)
    }
    fn proxy(&self, request: ProxyRequest) -> Pending<'_, http::Response<Bytes>> {
        calls::proxy(self, request)
    }

    fn create_webhook(&self, new: NewWebhook) -> Pending<'_, WebhookWithSecret> {
        Box::pin(async move {
            let request = Outgoing::json(Method::POST, "/v1/webhooks", &new)?;
            let shown: ShownWebhook = self.read(request.may_write()).await?;
            Ok(shown.into())
        })
    }
    fn webhooks(&self, paging: Paging) -> Pending<'_, Page<Webhook>> {
        Box::pin(async move { self.read_paged("/v1/webhooks", &[], &paging).await })
    }
    fn webhook<'a>(&'a self, id: &'a str) -> Pending<'a, Webhook> {
        Box::pin(async move {
            self.read(Outgoing::new(Method::GET, &webhook_path(id, "")))
                .await
        })
    }
    fn change_webhook<'a>(&'a self, id: &'a str, change: WebhookChange) -> Pending<'a, Webhook> {
        Box::pin(async move {
            let path = webhook_path(id, "");
            self.read(Outgoing::json(Method::PATCH, &path, &change)?)
                .await
        })
    }
    fn delete_webhook<'a>(&'a self, id: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            let request = Outgoing::new(Method::DELETE, &webhook_path(id, ""));
            response::done(&self.send(request).await?)
        })
    }
    fn rotate_webhook_secret<'a>(&'a self, id: &'a str) -> Pending<'a, WebhookWithSecret> {
        Box::pin(async move {
            let path = webhook_path(id, "/rotate-secret");
            let request = Outgoing::new(Method::POST, &path).may_write();
            let shown: ShownWebhook = self.read(request).await?;
            Ok(shown.into())
        })
    }
    fn test_webhook<'a>(&'a self, id: &'a str) -> Pending<'a, WebhookDelivery> {
        Box::pin(async move {
            let request = Outgoing::new(Method::POST, &webhook_path(id, "/test"));
            self.read(request.may_write()).await
        })
    }
    fn webhook_deliveries<'a>(
        &'a self,
        id: &'a str,
        paging: Paging,
    ) -> Pending<'a, Page<WebhookDelivery>> {
        Box::pin(async move {
            self.read_paged(&webhook_path(id, "/deliveries"), &[], &paging)
                .await
        })
    }
    fn replay_webhook_delivery<'a>(
        &'a self,
        id: &'a str,
        event_id: &'a str,
    ) -> Pending<'a, WebhookDelivery> {
        Box::pin(async move {
            let verb = format!("/deliveries/{}/replay", segment(event_id));
            let path = webhook_path(id, &verb);
            self.read(Outgoing::new(Method::POST, &path)).await
        })
    }
    fn replay_webhook<'a>(&'a self, id: &'a str, replay: WebhookReplay) -> Pending<'a, Webhook> {
        Box::pin(async move {
            let path = webhook_path(id, "/replay");
            self.read(Outgoing::json(Method::POST, &path, &replay)?)
                .await
        })
    }
    fn audit_entries(&self, filter: AuditFilter, paging: Paging) -> Pending<'_, Page<AuditEntry>> {
        Box::pin(async move {
            let filter = [
                ("action", filter.action.as_deref()),
                ("actor", filter.actor.as_deref()),
                ("target", filter.target.as_deref()),
            ];
            self.read_paged("/v1/audit", &filter, &paging).await
        })
    }
    fn verify_audit(&self, expect: Option<AuditHead>) -> Pending<'_, AuditVerification> {
        Box::pin(async move {
            let expect = expect.map(|head| head.to_string());
            let query = query(&[("expect", expect.as_deref())]);
            let path = format!("/v1/audit/verify{query}");
            self.read(Outgoing::new(Method::GET, &path)).await
        })
    }
}
