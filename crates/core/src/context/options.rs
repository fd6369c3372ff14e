//! Options and ports of an environment.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use jiff::SignedDuration;
use url::Url;

use super::bulkheads::CallLimits;
use super::endpoints::{ProductOptions, base_url, is_loopback};
use super::mcp_issuer::McpIssuer;
use super::sign_in_provider::SignInProvider;
use crate::{
    Error, ErrorKind, Result,
    ports::{AllowAll, Entropy, KeySource, Policy, Runtime, Spool, Transport},
    seal::KeyRing,
    store::Store,
};

/// Configuration of an environment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EnvironmentOptions {
    /// URL at which users' browsers reach this environment. Stead builds all links and redirect URIs from it.
    pub public_url: Url,
    /// URL of the proxy host, if any. It accepts account tokens, and its paths are the product's own.
    pub proxy_url: Option<Url>,
    /// How Stead makes sure that the user who came back is the user that the link was made for.
    pub verification: Verification,
    /// Origins, such as `https://app.example.com`, that links can redirect the user's browser to. An empty list allows
    /// any origin.
    pub verify_origins: Vec<String>,
    /// Default `verify_url` of links: a page of your application, such as `https://app.example.com/connected`. Without
    /// it, each link needs its own.
    pub verify_url: Option<String>,
    /// Endpoints and rate limits per product, if they differ from the defaults.
    pub products: BTreeMap<String, ProductOptions>,
    /// Your own sets of tools: names of tools by the name of the set. An agent's MCP session can name one.
    pub tool_sets: BTreeMap<String, Vec<String>>,
    /// How long Stead keeps history, and how much of it.
    pub retention: Retention,
    /// Hosts that can be in a private network: names, or domains such as `.corp.example`. Webhooks to them can use
    /// plain http.
    pub private_hosts: Vec<String>,
    /// Maximum number of running calls, and the memory that they can use.
    pub calls: CallLimits,
    /// How long calls continue while the store is unavailable, using accounts, policies and bearer tokens in memory.
    /// Defaults to 5 minutes, at most 24 hours; zero turns it off. During that time, suspensions and revocations made
    /// elsewhere don't take effect.
    pub store_outage: Duration,
    /// OpenID Connect provider that members sign in to the dashboard with, in addition to passwords. None by default.
    pub sign_in_provider: Option<SignInProvider>,
    /// Issuer whose JWTs agents can use at `/mcp`, in addition to tokens of MCP sessions. None by default.
    pub mcp_issuer: Option<McpIssuer>,
}

impl EnvironmentOptions {
    /// Options with this public URL and defaults: your application verifies users, products use their own endpoints,
    /// and retention is standard.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if it isn't an http(s) URL, has a query or fragment, or uses plain http for
    /// another machine.
    pub fn new(public_url: &str) -> Result<Self> {
        let public_url = base_url(public_url, "the public URL")?;
        if public_url.scheme() == "http" && !is_loopback(&public_url) {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                "the public URL must start with https://; http:// is allowed only for 127.0.0.1 and localhost",
            ));
        }
        Ok(Self {
            public_url,
            proxy_url: None,
            verification: Verification::Application,
            verify_origins: Vec::new(),
            verify_url: None,
            products: BTreeMap::new(),
            tool_sets: BTreeMap::new(),
            retention: Retention::default(),
            private_hosts: Vec::new(),
            calls: CallLimits::default(),
            store_outage: Duration::from_secs(300),
            sign_in_provider: None,
            mcp_issuer: None,
        })
    }

    /// Sets the URL of the proxy host, which needs a different host or port than the public URL. There, the account
    /// token determines the account, and paths are the product's own.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if it has a path or query, has the public URL's host, or uses plain http for
    /// another machine.
    pub fn proxy_url(mut self, proxy_url: &str) -> Result<Self> {
        let url = base_url(proxy_url, "the proxy URL")?;
        let refused = |why: &str| Err(Error::new(ErrorKind::InvalidRequest, why));
        if url.path() != "/" {
            return refused(
                "the proxy URL can't have a path, because the product's path follows directly",
            );
        }
        if url.scheme() == "http" && !is_loopback(&url) {
            return refused(
                "the proxy URL must start with https://; http:// is allowed only for 127.0.0.1 and localhost",
            );
        }
        let place = |url: &Url| {
            (
                url.host_str().map(str::to_owned),
                url.port_or_known_default(),
            )
        };
        if place(&url) == place(&self.public_url) {
            return refused("the proxy URL and the public URL need different hosts");
        }
        self.proxy_url = Some(url);
        Ok(self)
    }
}

/// Longest time for which calls can continue without the store.
const LONGEST_OUTAGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Rejects a longer time, because revoked access would still work the next day.
pub(super) fn check_store_outage(given: Duration) -> Result<()> {
    match given <= LONGEST_OUTAGE {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::InvalidRequest,
            "calls can continue without the store for at most 24 hours",
        )),
    }
}

/// The origins in the form that Stead compares: scheme, host and port.
pub(super) fn origins(given: &[String]) -> Result<Vec<url::Origin>> {
    let read = |text: &String| {
        let url = base_url(text, "an origin of verify_url")?;
        if url.path() != "/" || (url.scheme() == "http" && !is_loopback(&url)) {
            let error = Error::new(
                ErrorKind::InvalidRequest,
                "an origin of verify_url is https:// and a host, optionally with a port (http:// only for this machine)",
            );
            return Err(error.with_context("url", text.as_str()));
        }
        Ok(url.origin())
    };
    given.iter().map(read).collect()
}

/// How Stead makes sure that the user who came back is the user that the link was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verification {
    /// Your application, which knows who is signed in at `verify_url`.
    Application,
    /// No one. Stead treats anyone who has the link as the user.
    LinkPossession,
}

/// How long an environment keeps its history, and how much of it. Maintenance removes older records.
/// [`SignedDuration::MAX`] keeps them forever.
///
/// Stead also removes other expired rows. Access tokens are removed when they expire, and authorizations 7 days after
/// they end. Destroyed credentials are removed from the day after they were inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, stead_derive::Setters)]
#[setters(all)]
#[non_exhaustive]
pub struct Retention {
    /// How long to keep executions that changed something or failed, from their start. Defaults to 30 days.
    pub executions: SignedDuration,
    /// How long to keep executions that only read, from their start. Defaults to 7 days, and is never longer than for
    /// other executions.
    pub reads: SignedDuration,
    /// How long to keep totals of executions. Defaults to 90 days. They are per minute for a week, then per hour.
    pub totals: SignedDuration,
    /// How long to keep events. Defaults to 30 days. An application that reads the feed less often misses events.
    pub events: SignedDuration,
    /// Maximum size of all executions in bytes. Defaults to 1 GiB. Above it, Stead removes the oldest: first reads,
    /// then changes and errors. Totals and events don't count.
    ///
    /// Removed records make room for new ones, but a SQLite file doesn't become smaller.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        let days = |days: i64| SignedDuration::from_hours(days * 24);
        Self {
            executions: days(30),
            reads: days(7),
            totals: days(90),
            events: days(30),
            bytes: 1 << 30,
        }
    }
}

impl Retention {
    /// Never removes anything.
    pub const FOREVER: Self = Self {
        executions: SignedDuration::MAX,
        reads: SignedDuration::MAX,
        totals: SignedDuration::MAX,
        events: SignedDuration::MAX,
        bytes: u64::MAX,
    };

    /// Rejects a negative retention, which would remove future records.
    pub(crate) fn check(self) -> Result<()> {
        for (duration, what) in [
            (self.executions, "executions"),
            (self.reads, "reads"),
            (self.totals, "totals"),
            (self.events, "events"),
        ] {
            if duration.is_negative() {
                return Err(Error::new(
                    ErrorKind::InvalidRequest,
                    format!("the retention of {what} can't be negative"),
                ));
            }
        }
        Ok(())
    }
}

/// Ports that an environment needs.
#[non_exhaustive]
pub struct Ports {
    /// Network.
    pub transport: Arc<dyn Transport>,
    /// Time and tasks.
    pub runtime: Arc<dyn Runtime>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Rows.
    pub store: Arc<dyn Store>,
    /// Keys that encrypt the store's secrets.
    pub keys: KeyRing,
    /// Source to read these keys from again when the store needs a key that isn't among them. Optional.
    pub key_source: Option<Arc<dyn KeySource>>,
    /// Policy.
    pub policy: Arc<dyn Policy>,
    /// Spool that keeps new tokens while the store is unavailable. Without it, they are only in memory.
    pub spool: Option<Arc<dyn Spool>>,
}

impl Ports {
    /// The ports, with a policy that allows everything.
    pub fn new(
        transport: Arc<dyn Transport>,
        runtime: Arc<dyn Runtime>,
        entropy: Arc<dyn Entropy>,
        store: Arc<dyn Store>,
        keys: KeyRing,
    ) -> Self {
        Self {
            transport,
            runtime,
            entropy,
            store,
            keys,
            key_source: None,
            policy: Arc::new(AllowAll),
            spool: None,
        }
    }
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ports")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}
