//! One deployment: its public URL, its store, its keys, its products. Everything that an application can ask for is a
//! method of [`Environment`], which says how it can fail; what it does is written in the services.

mod agent;
mod app_credentials;
mod examine;
mod history;
mod import;
mod keys;
mod mcp_sessions;
mod members;
mod operations;
mod results;
mod verify_url;

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
pub use mcp_sessions::{McpConnection, McpOffer, RequestState};
pub use operations::{Visit, visit};

/// Longest wait of a shutdown for refreshes and writes: more than a token request takes, with the commit after it.
const DRAIN: Duration = Duration::from_secs(45);
/// Longest wait of a shutdown that is in a hurry, for tokens that were received to be kept.
const KEEP: Duration = Duration::from_secs(5);

/// One deployment. A handle: clones share everything.
#[derive(Clone)]
pub struct Environment(Context);

impl Environment {
    /// Opens an environment: checks the endpoints, and that the keys are those that the store was sealed with.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for options that cannot be, [`ErrorKind::KeyUnavailable`] for a wrong key.
    pub async fn open(
        options: EnvironmentOptions,
        catalogue: Catalogue,
        ports: Ports,
    ) -> Result<Self> {
        let context = Context::open(options, catalogue, ports).await?;
        // Before any call: what the process before left in the spool may be the only tokens that live.
        oauth::replay_spool(&context).await;
        maintenance::start(&context);
        events::webhooks::start(&context);
        Ok(Self(context))
    }

    /// The same environment for another caller, who stands in the records of calls, in events, and in what a policy is
    /// asked. Whoever opened it acts as [`Caller::Operator`].
    #[must_use]
    pub fn acting_as(&self, caller: Caller) -> Self {
        Self(self.0.acting_as(caller))
    }

    /// The same environment in a request with this id, which stands in the audit log next to what it changes.
    #[must_use]
    pub fn in_request(self, request_id: &str) -> Self {
        Self(self.0.in_request(request_id))
    }

    /// The same environment in a trace of the caller, which stands in the log and in the records of calls. It is not passed on
    /// to products.
    #[must_use]
    pub fn in_trace(self, id: TraceId) -> Self {
        Self(self.0.in_trace(id))
    }

    /// The same environment for a caller who waits no longer than this from now on: a call ends with what it has by then, and
    /// sends nothing after it. It never gives a call more time than it has anyway.
    #[must_use]
    pub fn within(self, timeout: Duration) -> Self {
        Self(self.0.within(timeout))
    }

    /// How long a wait of at most `longest` may take: its caller may wait less.
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

    /// Who acts through this handle.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// Where users' browsers reach this environment.
    pub fn public_url(&self) -> &Url {
        &self.0.public_url
    }
    /// Where account tokens say whose account is meant, if anywhere.
    pub fn proxy_url(&self) -> Option<&Url> {
        self.0.proxy_url.as_ref()
    }
    /// Who confirms that the right user came back.
    pub fn verification(&self) -> Verification {
        self.0.verification
    }
    /// How long history is kept.
    pub fn retention(&self) -> Retention {
        self.0.retention
    }
    /// The tools and products.
    pub fn catalogue(&self) -> &Catalogue {
        &self.0.catalogue
    }
    /// Randomness, for those who build on this environment.
    pub fn entropy(&self) -> &dyn Entropy {
        self.0.entropy.as_ref()
    }
    /// Time, for those who build on this environment.
    pub fn runtime(&self) -> &dyn Runtime {
        self.0.runtime.as_ref()
    }

    /// Whether the store reads and writes. It costs little, however often it is asked.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`] if it doesn't or some tokens are in memory only; [`ErrorKind::ShuttingDown`] after the end.
    pub async fn ready(&self) -> Result<()> {
        self.0.tasks.open()?;
        self.0.store_waits.check(self.0.store.ready().await)
    }

    /// The accounts whose new tokens neither the store nor the spool has taken: they are lost if this process ends.
    pub fn tokens_in_memory(&self) -> Vec<AccountId> {
        self.0.store_waits.in_memory()
    }

    /// What this process has counted since its start, and how much waits in the store: for a page that a monitoring system
    /// reads. It asks the store twice, and waits no longer than a second for it.
    pub async fn metrics(&self) -> Vec<Family> {
        maintenance::metrics(&self.0).await
    }

    /// Takes no more calls, waits at most 45 s until refreshes and writes in flight are done, and keeps their records.
    /// Calls that are still under way then are cut off, as by [`shut_down_now`](Self::shut_down_now).
    pub async fn shut_down(&self) {
        self.0.tasks.close();
        self.0.store_waits.tell_accounts("tokens of these accounts are only in memory; free space for the store or the spool before this process stops");
        self.0.tasks.drained(self.runtime(), DRAIN).await;
        self.shut_down_now().await;
    }

    /// Takes no more calls and cuts off those under way, which are recorded as `cancelled`, or as `outcome_unknown` where a
    /// request that writes was sent. Keeps received tokens (up to 5 s) and records (2 s), and logs what could not be kept.
    pub async fn shut_down_now(&self) {
        self.0.tasks.close();
        self.0.tasks.cut();
        self.0.tasks.drained(self.runtime(), KEEP).await;
        events::webhooks::give_back(&self.0).await;
        self.0.recorder.flush_at_last(&self.0).await;
        self.0.store_waits.tell_accounts("tokens of these accounts couldn't be stored and are lost; their users need to authorize again");
        self.0.leave_store();
    }

    /// The newest version of every tool, by name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an unknown product.
    pub async fn tools(&self, filter: ToolFilter) -> Result<Vec<ToolDescription>> {
        accounts::tools::tools(&self.0, filter).await
    }

    /// The same in the envelope that a model vendor asks for.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an unknown product, and for an identifier: an envelope has no place for what
    /// it asks.
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

    /// What the page of a link says. Changes nothing: mail scanners open links too.
    ///
    /// # Errors
    /// [`ErrorKind::AuthorizationNotFound`], [`ErrorKind::AuthorizationExpired`], [`ErrorKind::AuthorizationConsumed`],
    /// [`ErrorKind::ConnectionNotReady`].
    pub async fn connect_page(&self, link: &str) -> Result<ConnectPage> {
        oauth::connect_page(&self.0, link).await
    }

    /// Binds the browser to the link and sends it to the product. `browser` is the cookie of this authorization where
    /// the browser has one: the first browser keeps the link, and may start over.
    ///
    /// # Errors
    /// As [`Environment::connect_page`], and [`ErrorKind::BrowserMismatch`] for a second browser.
    pub async fn start_authorization(
        &self,
        link: &str,
        browser: Option<&str>,
    ) -> Result<StartedAuthorization> {
        oauth::start(&self.0, link, browser).await
    }

    /// Asks a user who granted less than was asked, right after the return, for what is missing: makes another
    /// authorization of the same account, as [`NewAuthorizationLink`](crate::resource::NewAuthorizationLink) does, and sends the browser to the
    /// product with it. `browser` gives the cookie of the finished authorization, where the browser has it.
    ///
    /// # Errors
    /// As [`NewAuthorizationLink`](crate::resource::NewAuthorizationLink); [`ErrorKind::BrowserMismatch`] for another browser,
    /// [`ErrorKind::AuthorizationExpired`] after 10 minutes, [`ErrorKind::AuthorizationConsumed`] where nothing is missing.
    pub async fn ask_again(
        &self,
        authorization_id: &str,
        browser: impl FnOnce(AuthorizationId) -> Option<String> + Send,
    ) -> Result<StartedAuthorization> {
        oauth::ask_again(&self.0, authorization_id, browser).await
    }

    /// Takes the browser's return from the product: checks it, spends the state, exchanges the code. `browser` gives the
    /// cookie of an authorization, where the browser has it.
    ///
    /// The exchange goes on where the browser hangs up.
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
    /// [`ErrorKind::PathInvalid`], [`ErrorKind::MethodNotAllowed`], [`ErrorKind::HeaderNotAllowed`], and whatever keeps the
    /// product from answering. The product's own refusals are responses, not errors; only its 401 is not passed on.
    pub async fn proxy(&self, request: ProxyRequest) -> Result<http::Response<Body>> {
        call::send_raw(&self.0, request).await
    }

    /// Sends a raw request as it came over HTTP: `request`'s URI is the product's path and query, byte for byte, and both
    /// bodies are passed on as they come.
    ///
    /// - Headers that do not pass are dropped, where [`Environment::proxy`] refuses them: a balancer or a client library may
    ///   have added them. `Accept-Encoding` is the caller's.
    /// - A response has no largest size, and no longest time while it keeps up 16 KiB per second.
    /// - A `POST` that stands for a `GET` with a long query is that `GET`, if the product takes such requests.
    ///
    /// In both forms each request of a [batch](crate::product::RouteKind::Batch) is checked, and admitted by the policy, as
    /// if it were sent by itself; an [upload](crate::product::RouteKind::Upload) may take several requests, and the
    /// `Location` of its session is below `/proxy` of the public URL.
    ///
    /// # Errors
    /// As [`Environment::proxy`]; [`ErrorKind::InvalidRequest`] for a batch that cannot be read, with the part that is wrong.
    pub async fn proxy_streaming(
        &self,
        connection_name: &str,
        identifier: &str,
        request: http::Request<Body>,
    ) -> Result<http::Response<Body>> {
        call::stream_raw(&self.0, connection_name, identifier, request).await
    }

    /// The same for a request that came to the proxy host, where the caller is an account token, which says whose account
    /// is meant. Where the environment has an [address of it](EnvironmentOptions::proxy_url), a `Location` is there.
    ///
    /// # Errors
    /// As [`Environment::proxy_streaming`]; [`ErrorKind::InsufficientScope`] for every other caller.
    pub async fn proxy_host(&self, request: http::Request<Body>) -> Result<http::Response<Body>> {
        call::stream_raw_at_proxy_host(&self.0, request).await
    }

    /// One round: authorizations past their time end and their pending tokens are shredded; the outbox is worked off;
    /// rows that no one needs any more are removed, as [`Retention`] says. No part waits for another's success. Runs by
    /// itself every 30 seconds.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`] or [`ErrorKind::IntegrityViolated`] where the overdue authorizations cannot be
    /// read. What else fails is logged and tried again in the next round.
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
