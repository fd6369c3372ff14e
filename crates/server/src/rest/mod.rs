//! The JSON interface of an application. A folder is a resource, a file is a verb.

mod account_imports;
mod account_tokens;
mod accounts;
mod app_credentials;
mod approvals;
mod audit;
mod authorization_links;
mod authorizations;
mod connections;
mod events;
mod executions;
mod files;
mod healthz;
mod keys;
mod mcp_sessions;
mod members;
mod policies;
pub(crate) mod proxy;
mod readyz;
mod tool_calls;
pub(crate) mod tools;
mod webhooks;

use stead::{
    ErrorKind::{
        self, AccountNotFound, AccountSuspended, AlreadyExists, AuthorizationConsumed,
        AuthorizationExpired, AuthorizationNotFound, ConnectionNotReady, DeadlineExceeded,
        IdentifierMismatch, InvalidRequest, InvalidTransition, NotFound, Overloaded,
        ProductAccountMismatch, StorageUnavailable, UnknownConnection, UnknownTool,
        UnsupportedVersion,
    },
    core::scope::ScopeName,
};

use crate::{
    openapi::PAGING,
    routes::{ForApplications, Route, any, delete, get, patch, post, put},
};

/// What an application calls, with its token, and the scope that each needs.
pub(crate) fn routes() -> Vec<ForApplications> {
    use ScopeName::{
        AccountTokensCreate, AccountsImport, AccountsManage, AccountsRead, ApprovalsManage,
        ApprovalsRead, AuditRead, ConnectionsManage, ConnectionsRead, CredentialsManage,
        EventsRead, ExecutionsRead, KeysManage, LinksCreate, McpSessionsManage, MembersManage,
        PoliciesManage, PoliciesRead, ProxyRead, ToolsExecute, WebhooksManage,
    };
    let connection = "/v1/connections/{connection_name}";
    let account = "/v1/accounts/{connection_name}/{identifier}";
    let credential = "/v1/app-credentials/{client_id}";
    let webhook = "/v1/webhooks/{webhook_id}";
    let member = "/v1/members/{member_id}";
    let session = "/v1/mcp-sessions/{session_id}";
    let policy = "/v1/policies/{policy_name}";
    vec![
        get("/v1/connections", connections::list)
            .summary("Lists connections.")
            .query(&[PAGING])
            .needs(ConnectionsRead),
        post("/v1/connections", connections::create)
            .summary("Creates a connection.")
            .errors(&[AlreadyExists])
            .needs(ConnectionsManage),
        get(connection, connections::read)
            .summary("Reads a connection.")
            .needs(ConnectionsRead),
        patch(connection, connections::change)
            .summary("Changes the given members of a connection.")
            .errors(&[InvalidTransition])
            .needs(ConnectionsManage),
        delete(connection, connections::delete)
            .summary("Deletes a connection without connected accounts.")
            .errors(&[InvalidTransition])
            .needs(ConnectionsManage),
        post("/v1/authorization-links", authorization_links::create)
            .summary("Creates a link that a user opens to connect an account.")
            .errors(LINK)
            .needs(LinksCreate),
        get(
            "/v1/authorizations/{authorization_id}",
            authorizations::read,
        )
        .summary("Reads the status of an attempt to connect an account.")
        .errors(&[AuthorizationNotFound])
        .needs(LinksCreate),
        post(
            "/v1/authorizations/{authorization_id}/verify",
            authorizations::verify,
        )
        .summary("Confirms which user came back from a link.")
        .errors(VERIFY)
        .needs(LinksCreate),
        get("/v1/accounts", accounts::list)
            .summary("Lists accounts.")
            .query(&[accounts::FILTER, PAGING])
            .errors(&[UnknownConnection])
            .needs(AccountsRead),
        get(account, accounts::read)
            .summary("Reads an account.")
            .needs(AccountsRead),
        delete(account, accounts::disconnect)
            .summary("Disconnects an account and destroys its tokens.")
            .query(&[accounts::DISCONNECT])
            .errors(&[InvalidTransition])
            .needs(AccountsManage),
        post(
            "/v1/accounts/{connection_name}/{identifier}/suspend",
            accounts::suspend,
        )
        .summary("Suspends an account: its calls stop, and its tokens stay.")
        .errors(&[InvalidTransition])
        .needs(AccountsManage),
        post(
            "/v1/accounts/{connection_name}/{identifier}/resume",
            accounts::resume,
        )
        .summary("Resumes a suspended account.")
        .errors(&[InvalidTransition])
        .needs(AccountsManage),
        post(
            "/v1/accounts/{connection_name}/{identifier}/refresh",
            accounts::refresh,
        )
        .summary("Refreshes an account's access token now.")
        .errors(&[InvalidTransition])
        .calls()
        .needs(AccountsManage),
        post("/v1/account-imports", account_imports::create)
            .summary("Imports accounts with their tokens from another platform.")
            .needs(AccountsImport),
        get("/v1/account-tokens", account_tokens::list)
            .summary("Lists the active account tokens of an account.")
            .query(&[account_tokens::OF_ACCOUNT, PAGING])
            .errors(&[UnknownConnection, AccountNotFound])
            .needs(AccountTokensCreate),
        post("/v1/account-tokens", account_tokens::create)
            .summary("Creates an account token, a bearer token for one account.")
            .errors(LINK)
            .needs(AccountTokensCreate),
        delete("/v1/account-tokens/{token_id}", account_tokens::delete)
            .summary("Revokes an account token.")
            .errors(&[NotFound])
            .needs(AccountTokensCreate),
        get("/v1/mcp-sessions", mcp_sessions::list)
            .summary("Lists active MCP sessions.")
            .query(&[mcp_sessions::FILTER, PAGING])
            .needs(McpSessionsManage),
        post("/v1/mcp-sessions", mcp_sessions::create)
            .summary("Creates an MCP session for one user and shows its token once.")
            .errors(&[UnknownConnection])
            .needs(McpSessionsManage),
        get(session, mcp_sessions::read)
            .summary("Reads an MCP session.")
            .errors(&[NotFound])
            .needs(McpSessionsManage),
        delete(session, mcp_sessions::delete)
            .summary("Revokes an MCP session.")
            .errors(&[NotFound])
            .needs(McpSessionsManage),
        get("/v1/policies", policies::list)
            .summary("Lists all policies.")
            .needs(PoliciesRead),
        get(policy, policies::read)
            .summary("Reads a policy.")
            .errors(&[NotFound])
            .needs(PoliciesRead),
        put(policy, policies::set)
            .summary("Creates a policy, or replaces all its rules.")
            .needs(PoliciesManage),
        delete(policy, policies::delete)
            .summary("Deletes a policy that isn't used.")
            .errors(&[NotFound, InvalidTransition])
            .needs(PoliciesManage),
        post("/v1/policies/test", policies::test)
            .summary("Explains what policies decide about a call, without making it.")
            .errors(&[
                UnknownTool,
                ErrorKind::SchemaViolation,
                ErrorKind::PathInvalid,
            ])
            .needs(PoliciesManage),
        get("/v1/approvals", approvals::list)
            .summary("Lists approvals, newest first.")
            .query(&[approvals::FILTER, PAGING])
            .needs(ApprovalsRead),
        get("/v1/approvals/{approval_id}", approvals::read)
            .summary("Reads an approval with the exact arguments of its call.")
            .errors(&[NotFound])
            .needs(ApprovalsRead),
        post("/v1/approvals/{approval_id}/approve", approvals::approve)
            .summary("Approves a call, which can then be made once.")
            .errors(&[NotFound, InvalidTransition, ErrorKind::Forbidden])
            .needs(ApprovalsManage),
        post("/v1/approvals/{approval_id}/deny", approvals::deny)
            .summary("Denies a call.")
            .errors(&[NotFound, InvalidTransition, ErrorKind::Forbidden])
            .needs(ApprovalsManage),
        get("/v1/audit", audit::list)
            .summary("Lists audit entries: who changed what.")
            .query(&[audit::FILTER, PAGING])
            .needs(AuditRead),
        get("/v1/audit/verify", audit::verify)
            .summary("Verifies the chain of the audit log.")
            .query(&[audit::EXPECT])
            .needs(AuditRead),
        get("/v1/events", events::list)
            .summary("Reads the feed of events, as a page or as a stream.")
            .query(&[events::FILTER])
            .errors(&[UnknownConnection])
            .describe(events::describe)
            .needs(EventsRead),
        get("/v1/executions", executions::list)
            .summary("Lists calls, newest first.")
            .query(&[executions::FILTER, PAGING])
            .needs(ExecutionsRead),
        get("/v1/executions/totals", executions::totals)
            .summary("Counts calls by connection, tool and outcome.")
            .query(&[executions::SPAN])
            .needs(ExecutionsRead),
        get("/v1/executions/{execution_id}", executions::read)
            .summary("Reads the record of a call.")
            .errors(&[NotFound])
            .needs(ExecutionsRead),
        get("/v1/tools", tools::list)
            .summary("Lists all tools in their newest version.")
            .query(&[tools::FILTER])
            .errors(&[UnknownConnection])
            .needs_no_scope(),
        get("/v1/tools/{name}", tools::read)
            .summary("Reads a tool.")
            .query(&[tools::VERSION])
            .errors(&[UnknownTool, UnsupportedVersion])
            .needs_no_scope(),
        post(tools::execute::ROUTE, tools::execute)
            .summary("Runs a tool as a user.")
            .calls()
            .needs(ToolsExecute),
        get("/v1/files/{handle}", files::read)
            .summary("Reads a file or an omitted part of a result, or a range of it.")
            .errors(&[NotFound, ErrorKind::RangeNotSatisfiable])
            .calls()
            .describe(files::describe)
            .needs(ToolsExecute),
        post("/v1/tool-calls", tool_calls::run)
            .summary("Executes a model's tool calls.")
            .describe(tool_calls::describe)
            .errors(&[DeadlineExceeded])
            .needs(ToolsExecute),
        // What can change something needs `proxy:write`, which includes this.
        post("/v1/proxy", proxy::json)
            .summary("Sends a raw request as a user.")
            .calls()
            .describe(proxy::describe)
            .needs(ProxyRead),
        get("/v1/app-credentials", app_credentials::list)
            .summary("Lists applications' credentials.")
            .query(&[PAGING])
            .needs(CredentialsManage),
        post("/v1/app-credentials", app_credentials::create)
            .summary("Creates a credential and shows its secret once.")
            .errors(&[UnknownConnection])
            .needs(CredentialsManage),
        get(credential, app_credentials::read)
            .summary("Reads a credential.")
            .errors(&[NotFound])
            .needs(CredentialsManage),
        patch(credential, app_credentials::change)
            .summary("Changes the given members of a credential.")
            .errors(&[NotFound, UnknownConnection])
            .needs(CredentialsManage),
        delete(credential, app_credentials::delete)
            .summary("Revokes a credential and its tokens.")
            .errors(&[NotFound])
            .needs(CredentialsManage),
        post(
            "/v1/app-credentials/{client_id}/rotate",
            app_credentials::rotate,
        )
        .summary("Creates a new secret and shows it once.")
        .errors(&[NotFound, InvalidTransition])
        .needs(CredentialsManage),
        delete(
            "/v1/app-credentials/{client_id}/secrets/{secret_id}",
            app_credentials::revoke_secret,
        )
        .summary("Revokes one secret of a credential.")
        .errors(&[NotFound, InvalidTransition])
        .needs(CredentialsManage),
        get("/v1/members", members::list)
            .summary("Lists the members of the dashboard.")
            .query(&[PAGING])
            .needs(MembersManage),
        post("/v1/members", members::create)
            .summary("Invites a member and shows the link once.")
            .errors(&[AlreadyExists, InvalidTransition])
            .needs(MembersManage),
        get(member, members::read)
            .summary("Reads a member.")
            .errors(&[NotFound])
            .needs(MembersManage),
        patch(member, members::change)
            .summary("Changes the name, role or access of a member.")
            .errors(&[NotFound, InvalidTransition])
            .needs(MembersManage),
        delete(member, members::delete)
            .summary("Deletes a member and ends all their sessions.")
            .errors(&[NotFound, InvalidTransition])
            .needs(MembersManage),
        post("/v1/members/{member_id}/reset", members::reset)
            .summary("Removes a member's password and shows the link to set a new one once.")
            .errors(&[NotFound, InvalidTransition])
            .needs(MembersManage),
        get("/v1/keys", keys::list)
            .summary("Lists data keys and the progress of a re-encryption.")
            .query(&[keys::COUNT])
            .needs(KeysManage),
        post("/v1/keys", keys::add)
            .summary("Adds a data key without using it yet.")
            .needs(KeysManage),
        post("/v1/keys/{key_id}/activate", keys::activate)
            .summary("Makes a data key active, so new data is encrypted with it.")
            .errors(&[NotFound, InvalidTransition])
            .needs(KeysManage),
        post("/v1/keys/reencrypt", keys::reencrypt)
            .summary("Starts re-encrypting all data with the active data key.")
            .needs(KeysManage),
        post("/v1/keys/{key_id}/retire", keys::retire)
            .summary("Destroys a data key that no longer encrypts any data.")
            .errors(&[NotFound, InvalidTransition])
            .needs(KeysManage),
        post("/v1/keys/rewrap", keys::rewrap)
            .summary("Encrypts the data keys with the first key of the key ring.")
            .errors(&[ErrorKind::KeyUnavailable])
            .needs(KeysManage),
        get("/v1/webhooks", webhooks::list)
            .summary("Lists webhooks.")
            .query(&[PAGING])
            .needs(WebhooksManage),
        post("/v1/webhooks", webhooks::create)
            .summary("Creates a webhook and shows its secret once.")
            .needs(WebhooksManage),
        get(webhook, webhooks::read)
            .summary("Reads a webhook.")
            .errors(&[NotFound])
            .needs(WebhooksManage),
        patch(webhook, webhooks::change)
            .summary("Changes the given members of a webhook.")
            .errors(&[NotFound])
            .needs(WebhooksManage),
        delete(webhook, webhooks::delete)
            .summary("Deletes a webhook and its deliveries.")
            .errors(&[NotFound])
            .needs(WebhooksManage),
        post(
            "/v1/webhooks/{webhook_id}/rotate-secret",
            webhooks::rotate_secret,
        )
        .summary("Creates a new secret and shows it once.")
        .errors(&[NotFound])
        .needs(WebhooksManage),
        post("/v1/webhooks/{webhook_id}/test", webhooks::test)
            .summary("Sends a test event now.")
            .errors(&[NotFound])
            .needs(WebhooksManage),
        post("/v1/webhooks/{webhook_id}/replay", webhooks::replay)
            .summary("Sends all events since a time again.")
            .errors(&[NotFound])
            .needs(WebhooksManage),
        get("/v1/webhooks/{webhook_id}/deliveries", webhooks::deliveries)
            .summary("Lists the deliveries of a webhook, newest first.")
            .query(&[webhooks::DELIVERIES, PAGING])
            .errors(&[NotFound])
            .needs(WebhooksManage),
        post(
            "/v1/webhooks/{webhook_id}/deliveries/{event_id}/replay",
            webhooks::replay_delivery,
        )
        .summary("Sends an event to a webhook again.")
        .errors(&[NotFound])
        .needs(WebhooksManage),
    ]
}

/// A product's own API, for an application, or with an account's token. What can change something needs `proxy:write`.
pub(crate) fn proxy_routes() -> Vec<ForApplications> {
    use ScopeName::ProxyRead;
    vec![
        any("/proxy/{connection_name}/{identifier}", proxy::streaming).needs(ProxyRead),
        any("/proxy/{connection_name}/{identifier}/", proxy::streaming).needs(ProxyRead),
        any(
            "/proxy/{connection_name}/{identifier}/{*path}",
            proxy::streaming,
        )
        .needs(ProxyRead),
    ]
}

/// What operators and their machines ask, without a token.
pub(crate) fn health_routes() -> Vec<Route> {
    vec![
        get("/healthz", healthz::show).summary("Checks that the process responds."),
        get("/readyz", readyz::show)
            .summary("Checks whether the process can handle calls.")
            .query(&[readyz::QUERY])
            .errors(&[InvalidRequest, StorageUnavailable, Overloaded]),
    ]
}

/// How the making of a link can end.
const LINK: &[ErrorKind] = &[UnknownConnection, ConnectionNotReady, AccountSuspended];
/// How a confirmation can end.
const VERIFY: &[ErrorKind] = &[
    AuthorizationNotFound,
    AuthorizationExpired,
    AuthorizationConsumed,
    IdentifierMismatch,
    InvalidTransition,
    ProductAccountMismatch,
];
