//! What an environment is made of: its options and the ports that it stands on.

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

/// How an environment is set up.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EnvironmentOptions {
    /// Where users' browsers reach this environment; links and redirect URIs are made from it and from nothing else.
    pub public_url: Url,
    /// Where account tokens are taken and paths are the products' own, if anywhere.
    pub proxy_url: Option<Url>,
    /// Who confirms that the user who came back is the one whom the link was made for.
    pub verification: Verification,
    /// Origins, such as `https://app.example.com`, to which links may send the user's browser back; any where there are none.
    pub verify_origins: Vec<String>,
    /// Where a link sends the user's browser if whoever makes the link does not say: a page of the application, such as
    /// `https://app.example.com/connected`. Without it, each link has to say.
    pub verify_url: Option<String>,
    /// Endpoints and rate limits per product, where they differ from the product's own.
    pub products: BTreeMap<String, ProductOptions>,
    /// How long history is kept, and how much of it.
    pub retention: Retention,
    /// Hosts that may be private: names, or domains such as `.corp.example`. Webhooks to them may be plain http.
    pub private_hosts: Vec<String>,
    /// How many calls may be in flight, and what they may hold.
    pub calls: CallLimits,
    /// How long calls go on while the store is away, with what was read last of accounts, policies and bearer tokens; 5
    /// minutes unless told, 24 hours at most, and not at all where it is zero. Meanwhile nothing that is denied elsewhere is noticed.
    pub store_outage: Duration,
    /// The OpenID Connect provider by which members sign in to the dashboard, besides passwords; none where there is none.
    pub sign_in_provider: Option<SignInProvider>,
    /// The issuer whose JWTs agents may use at `/mcp`, besides the tokens of MCP sessions; none where there is none.
    pub mcp_issuer: Option<McpIssuer>,
}

impl EnvironmentOptions {
    /// Options with this public URL; the application verifies, the products' own endpoints, the usual retention.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] where it is not an http(s) URL without query and fragment, or plain http beyond this machine.
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
            retention: Retention::default(),
            private_hosts: Vec::new(),
            calls: CallLimits::default(),
            store_outage: Duration::from_secs(300),
            sign_in_provider: None,
            mcp_issuer: None,
        })
    }

    /// Sets the address of the proxy host: another host, or port, than that of the public URL. An account token says
    /// there whose account is meant, and paths are the product's own.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] where it has a path or a query, is the host of the public URL, or is plain http beyond
    /// this machine.
    pub fn proxy_url(mut self, proxy_url: &str) -> Result<Self> {
        let url = base_url(proxy_url, "the proxy URL")?;
        let refused = |why: &str| Err(Error::new(ErrorKind::InvalidRequest, why));
        if url.path() != "/" {
            return refused("the proxy URL can't have a path, because the product's path follows directly");
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

/// Longest time for which calls go on without the store.
const LONGEST_OUTAGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Refuses to go on for so long that what was revoked would still act the next day.
pub(super) fn check_store_outage(given: Duration) -> Result<()> {
    match given <= LONGEST_OUTAGE {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::InvalidRequest,
            "calls can continue without the store for at most 24 hours",
        )),
    }
}

/// The origins as they are compared: scheme, host and port.
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

/// Who confirms that the user who came back is the one whom the link was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verification {
    /// The application, which knows who is signed in at `verify_url`.
    Application,
    /// No one: whoever holds the link is treated as the user.
    LinkPossession,
}

/// How long an environment keeps its history, and how much of it. What is older is removed in the next round of
/// maintenance; the longest duration there is, [`SignedDuration::MAX`], keeps it for ever.
///
/// Other rows that no one needs any more go by themselves: access tokens once they have expired, authorizations 7 days
/// after their end, shredded credentials from the day after their insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// Executions that changed something or failed, from their beginning; 30 days unless told.
    pub executions: SignedDuration,
    /// Executions that only read, from their beginning; 24 hours unless told, and never longer than the others.
    pub reads: SignedDuration,
    /// Totals of all executions; 90 days unless told. They count minutes for a week, then hours.
    pub totals: SignedDuration,
    /// Events, from when they happened; 30 days unless told. An application that reads the feed less often misses some.
    pub events: SignedDuration,
    /// Bytes that executions take together; 1 GiB unless told. Beyond it the oldest go: first those that only read, then
    /// changes and errors. Totals and events are not counted.
    ///
    /// What goes makes room for what comes. A SQLite file does not become smaller by it.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        let days = |days: i64| SignedDuration::from_hours(days * 24);
        Self {
            executions: days(30),
            reads: days(1),
            totals: days(90),
            events: days(30),
            bytes: 1 << 30,
        }
    }
}

impl Retention {
    /// Nothing is removed.
    pub const FOREVER: Self = Self {
        executions: SignedDuration::MAX,
        reads: SignedDuration::MAX,
        totals: SignedDuration::MAX,
        events: SignedDuration::MAX,
        bytes: u64::MAX,
    };

    /// Refuses to keep something for less than no time, which would remove what is yet to come.
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

/// What an environment stands on.
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
    /// Keys that seal the store's secrets.
    pub keys: KeyRing,
    /// Where these keys are read again, once the store needs one that is not among them; nowhere where there is none.
    pub key_source: Option<Arc<dyn KeySource>>,
    /// Policy.
    pub policy: Arc<dyn Policy>,
    /// Where tokens wait for a store that is away; in memory only where there is none.
    pub spool: Option<Arc<dyn Spool>>,
}

impl Ports {
    /// The ports, with a policy that allows all.
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
