//! One deployment: its public URL, store, keys and products. Applications reach everything through the methods of
//! [`Environment`]. Each method documents its errors; the services do the work.

mod agent;
mod app_credentials;
mod audit_actions;
mod examine;
mod history;
mod mcp_sessions;
mod members;
mod operations;
mod results;

use std::{fmt, time::Duration};

use serde_json::Value;
use url::Url;

#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, accounts,
    api::Run,
    call,
    caller::Caller,
    catalogue::Catalogue,
    context::Context,
    events,
    identifier::{AccountId, AuthorizationId},
    maintenance,
    metrics::Family,
    oauth::{self, Callback, ConnectPage, FinishedAuthorization, StartedAuthorization},
    ports::{Body, Entropy, Runtime},
    resource::{ExecuteRequest, Execution, ProxyRequest, ToolDescription, ToolFilter},
    schema::ExportFormat,
    trace::TraceId,
};
pub use crate::{
    connections::public_url::MovedPublicUrl,
    context::{
        CallLimits, EnvironmentOptions, McpIssuer, Ports, ProductOptions, Retention,
        SignInProvider, Verification,
    },
    maintenance::{Examination, ExaminedConnection, Probe, WaitingInOutbox},
};
pub use audit_actions::{AuditAction, audit_actions};
pub use mcp_sessions::{McpConnection, McpOffer, RequestState};
pub use operations::{Visit, visit};

/// Longest time that a shutdown waits for refreshes and writes. It's enough for a token request and its commit.
const DRAIN: Duration = Duration::from_secs(45);
/// Longest time that an immediate shutdown waits until received tokens are stored.
const KEEP: Duration = Duration::from_secs(5);

/// One deployment. This is a handle: clones share everything.
#[derive(Clone)]
pub struct Environment(Context);

impl Environment {
    /// Opens an environment. It checks the endpoints, and that the keys are those that encrypted the store.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for invalid options, [`ErrorKind::KeyUnavailable`] for a wrong key.
    pub async fn open(
        options: EnvironmentOptions,
        catalogue: Catalogue,
        ports: Ports,
    ) -> Result<Self> {
        let context = Context::open(options, catalogue, ports).await?;
        // This comes before any call: tokens that the previous process left in the spool may be the only valid ones.
        oauth::replay_spool(&context).await;
        maintenance::start(&context);
        events::webhooks::start(&context);
        Ok(Self(context))
    }

    /// The same environment for another caller. Events, policies and the history of calls name that caller. A newly
    /// opened environment acts as [`Caller::Operator`].
    #[must_use]
    pub fn acting_as(&self, caller: Caller) -> Self {
        Self(self.0.acting_as(caller))
    }

    /// The same environment in a request with this ID. The audit log records the ID with each change.
    #[must_use]
    pub fn in_request(self, request_id: &str) -> Self {
        Self(self.0.in_request(request_id))
    }

    /// The same environment in a caller's trace. The log and the history of calls have the trace's ID. Products don't
    /// get it.
    #[must_use]
    pub fn in_trace(self, id: TraceId) -> Self {
        Self(self.0.in_trace(id))
    }

    /// The same environment for a caller that waits at most this long, counted from now. After that, a call returns
    /// what it has and sends nothing more. A call never gets more time than without this limit.
    #[must_use]
    pub fn within(self, timeout: Duration) -> Self {
        Self(self.0.within(timeout))
    }

    /// Shortens a wait of at most `longest` if the caller waits less.
    pub fn at_most(&self, longest: Duration) -> Duration {
        self.0.at_most(longest)
    }

    /// Runs an operation.
    ///
    /// # Errors
    /// As the operation's declaration says.
    pub async fn send<O: Run<Self>>(&self, operation: O) -> Result<O::Output> {
        operation.run(self).await
    }

    /// The caller that uses this handle.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// The URL at which users' browsers reach this environment.
    pub fn public_url(&self) -> &Url {
        &self.0.site.public_url
    }
    /// The URL of the proxy host, if there is one. There, the account token decides which account is used.
    pub fn proxy_url(&self) -> Option<&Url> {
        self.0.site.proxy_url.as_ref()
    }
    /// Whether the application must confirm that the right user came back.
    pub fn verification(&self) -> Verification {
        self.0.site.verification
    }
    /// How long Stead keeps history.
    pub fn retention(&self) -> Retention {
        self.0.history.retention
    }
    /// The tools and products.
    pub fn catalogue(&self) -> &Catalogue {
        &self.0.products.catalogue
    }
    /// Randomness, for code that builds on this environment.
    pub fn entropy(&self) -> &dyn Entropy {
        self.0.host.entropy.as_ref()
    }
    /// Time, for code that builds on this environment.
    pub fn runtime(&self) -> &dyn Runtime {
        self.0.host.runtime.as_ref()
    }

    /// Whether the store reads and writes. This is cheap, so you can ask often.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`] if it doesn't, or if some tokens are in memory only.
    /// [`ErrorKind::ShuttingDown`] once a shutdown has begun.
    pub async fn ready(&self) -> Result<()> {
        self.0.host.tasks.open()?;
        self.0.store.waits.check(self.0.store.ready().await)
    }

    /// The accounts whose new tokens are only in memory, because neither the store nor the spool accepted them. They
    /// are lost if this process ends.
    pub fn tokens_in_memory(&self) -> Vec<AccountId> {
        self.0.store.waits.in_memory()
    }

    /// Counters of this process since it started, and the amount of pending work in the store, for a monitoring system.
    /// Queries the store twice, and waits for it for at most a second.
    pub async fn metrics(&self) -> Vec<Family> {
        maintenance::metrics(&self.0).await
    }

    /// Accepts no more calls, waits up to 45 s for refreshes and writes to finish, and keeps their records. Calls that
    /// are still running then are cancelled, as by [`shut_down_now`](Self::shut_down_now).
    pub async fn shut_down(&self) {
        self.0.host.tasks.close();
        self.0.store.waits.tell_accounts("tokens of these accounts are only in memory; free space for the store or the spool before this process stops");
        self.0.host.tasks.drained(self.runtime(), DRAIN).await;
        self.shut_down_now().await;
    }

    /// Accepts no more calls and cancels those that are running. Their outcome is `outcome_unknown` if they had sent a
    /// write, and `cancelled` otherwise. Keeps received tokens (up to 5 s) and records (2 s), and logs what it couldn't
    /// keep.
    pub async fn shut_down_now(&self) {
        self.0.host.tasks.close();
        self.0.host.tasks.cut();
        self.0.host.tasks.drained(self.runtime(), KEEP).await;
        events::webhooks::give_back(&self.0).await;
        self.0.history.recorder.flush_at_last(&self.0).await;
        self.0.store.waits.tell_accounts("tokens of these accounts couldn't be stored and are lost; their users need to authorize again");
        self.0.store.leave();
    }

    /// The newest version of every tool, by name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an unknown product.
    pub async fn tools(&self, filter: ToolFilter) -> Result<Vec<ToolDescription>> {
        accounts::tools::tools(&self.0, filter).await
    }

    /// The same tools in a model vendor's format.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an unknown product, and for an identifier: the vendors' formats can't say
    /// whether a user is ready.
    pub async fn exported_tools(
        &self,
        filter: &ToolFilter,
        format: ExportFormat,
    ) -> Result<Vec<Value>> {
        Ok(self.export_tools(filter, format).await?.items)
    }

    /// The newest version of one tool.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`].
    pub fn tool(&self, name: &str) -> Result<ToolDescription> {
        accounts::tools::tool(&self.0, name)
    }

    /// The contents of a link's page. Changes nothing, because mail scanners open links too.
    ///
    /// # Errors
    /// [`ErrorKind::AuthorizationNotFound`], [`ErrorKind::AuthorizationExpired`], [`ErrorKind::AuthorizationConsumed`],
    /// [`ErrorKind::ConnectionNotReady`].
    pub async fn connect_page(&self, link: &str) -> Result<ConnectPage> {
        oauth::connect_page(&self.0, link).await
    }

    /// Ties the link to the browser and sends the browser to the product. `browser` is the cookie of this
    /// authorization, if the browser has one. Only the first browser can use the link, and it can start again.
    ///
    /// # Errors
    /// As [`Environment::connect_page`]; [`ErrorKind::BrowserMismatch`] for a second browser.
    pub async fn start_authorization(
        &self,
        link: &str,
        browser: Option<&str>,
    ) -> Result<StartedAuthorization> {
        oauth::start(&self.0, link, browser).await
    }

    /// Asks again for scopes that the user has just declined. Creates another authorization of the same account, as
    /// [`NewAuthorizationLink`](crate::resource::NewAuthorizationLink) does, and sends the browser to the product.
    /// `browser` returns the cookie of the finished authorization, if the browser has it.
    ///
    /// # Errors
    /// As [`NewAuthorizationLink`](crate::resource::NewAuthorizationLink). [`ErrorKind::BrowserMismatch`] for another
    /// browser, [`ErrorKind::AuthorizationExpired`] after 10 minutes, [`ErrorKind::AuthorizationConsumed`] if nothing
    /// is missing.
    pub async fn ask_again(
        &self,
        authorization_id: &str,
        browser: impl FnOnce(AuthorizationId) -> Option<String> + Send,
    ) -> Result<StartedAuthorization> {
        oauth::ask_again(&self.0, authorization_id, browser).await
    }

    /// Handles the browser's return from the product: validates it, consumes the state and exchanges the code.
    /// `browser` returns the cookie of an authorization, if the browser has it.
    ///
    /// The exchange continues if the browser disconnects.
    ///
    /// # Errors
    /// [`ErrorKind::AuthorizationNotFound`], [`ErrorKind::AuthorizationExpired`], [`ErrorKind::AuthorizationConsumed`],
    /// [`ErrorKind::BrowserMismatch`], [`ErrorKind::AuthorizationDenied`], [`ErrorKind::AuthorizationFailed`],
    /// [`ErrorKind::ConnectionCredentialsRejected`], [`ErrorKind::ProductAccountMismatch`].
    pub async fn finish_authorization(
        &self,
        connection_id: &str,
        callback: Callback,
        browser: impl FnOnce(AuthorizationId) -> Option<String> + Send,
    ) -> Result<FinishedAuthorization> {
        oauth::finish(&self.0, connection_id, callback, browser).await
    }

    /// Runs a tool by name.
    ///
    /// # Errors
    /// Any kind of the table; the error carries the execution's id.
    pub async fn execute(&self, name: &str, request: ExecuteRequest) -> Result<Execution> {
        call::execute(&self.0, name, request).await
    }

    /// Sends a raw request that is given as JSON.
    ///
    /// # Errors
    /// [`ErrorKind::PathInvalid`], [`ErrorKind::MethodNotAllowed`], [`ErrorKind::HeaderNotAllowed`], and every error
    /// that keeps the product from answering. If the product refuses the request, its response is returned. Only its
    /// 401 becomes an error.
    pub async fn proxy(&self, request: ProxyRequest) -> Result<http::Response<Body>> {
        call::send_raw(&self.0, request).await
    }

    /// Sends a raw request as it came over HTTP. `request`'s URI is the product's path and query, byte for byte. Both
    /// bodies are streamed unchanged.
    ///
    /// - Headers that aren't allowed are dropped, because a load balancer or a client library may have added them.
    ///   [`Environment::proxy`] refuses them. `Accept-Encoding` is passed on.
    /// - The size of a response isn't limited. Neither is its time, if it arrives at 16 KiB per second or faster.
    /// - Some products take a `GET` with a long query as a `POST`. Such a `POST` counts as a `GET`.
    ///
    /// In both forms, each request of a [batch](crate::product::RouteKind::Batch) is checked, and admitted by the
    /// policy, like a separate request. An [upload](crate::product::RouteKind::Upload) may take several requests. Its
    /// session's `Location` is below `/proxy` of the public URL.
    ///
    /// # Errors
    /// As [`Environment::proxy`]. [`ErrorKind::InvalidRequest`] for a batch that can't be read; the error names the
    /// faulty part.
    pub async fn proxy_streaming(
        &self,
        connection_name: &str,
        identifier: &str,
        request: http::Request<Body>,
    ) -> Result<http::Response<Body>> {
        call::stream_raw(&self.0, connection_name, identifier, request).await
    }

    /// The same for a request to the proxy host. There, the caller is an account token, which also decides which
    /// account is used. If the environment has a [proxy URL](EnvironmentOptions::proxy_url), a `Location` points to it.
    ///
    /// # Errors
    /// As [`Environment::proxy_streaming`]. [`ErrorKind::InsufficientScope`] for every other caller.
    pub async fn proxy_host(&self, request: http::Request<Body>) -> Result<http::Response<Body>> {
        call::stream_raw_at_proxy_host(&self.0, request).await
    }

    /// Runs one round of maintenance. It expires overdue authorizations and shreds their pending tokens, works through
    /// the outbox, and deletes rows that [`Retention`] no longer keeps. If one part fails, the others still run. A
    /// round runs automatically every 30 seconds.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`] or [`ErrorKind::IntegrityViolated`] if the overdue authorizations can't be
    /// read. Other failures are logged, and the next round tries again.
    pub async fn maintain(&self) -> Result<()> {
        maintenance::run(&self.0).await
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("public_url", &self.public_url().as_str())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
