//! What every service works with: the ports, the keys, the catalogue and the caches of one deployment.
//!
//! A [`Context`] is a cheap clone. It knows no service: what Stead does is written in the services, as functions of it.

pub(crate) mod access_tokens;
mod audit;
pub(crate) mod bulkheads;
pub(crate) mod change;
pub(crate) mod circuits;
mod deadline;
pub(crate) mod endpoints;
mod feed;
mod follow;
mod forget;
pub(crate) mod keyed_calls;
mod lookup;
mod mcp_issuer;
mod moment;
mod options;
pub(crate) mod outbox;
pub(crate) mod policies;
pub(crate) mod rate_limit;
pub(crate) mod recorder;
mod remembered;
mod sign_in;
mod sign_in_provider;
pub(crate) mod single_flight;
pub(crate) mod snapshots;
mod store_waits;
pub(crate) mod tasks;
pub(crate) mod token_set;
mod unreached;
mod verify_url;
pub(crate) mod webhook_lanes;
mod work;

use std::{
    collections::BTreeMap,
    ops::Deref,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use http::{HeaderValue, header};
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;
use uuid::Uuid;

pub use bulkheads::CallLimits;
pub(crate) use deadline::time_is_over;
pub(crate) use endpoints::Endpoints;
pub use endpoints::ProductOptions;
pub(crate) use lookup::account_view;
pub(crate) use mcp_issuer::KnownIssuer;
pub use mcp_issuer::McpIssuer;
pub use options::{EnvironmentOptions, Ports, Retention, Verification};
pub(crate) use sign_in::Attempt;
pub use sign_in_provider::SignInProvider;
pub(crate) use sign_in_provider::{KnownProvider, ProviderEndpoints};
pub(crate) use snapshots::Snapshot;
pub(crate) use token_set::TokenSet;
pub(crate) use work::Panicked;

use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    catalogue::Catalogue,
    domain::Connection,
    identifier::{AccountId, ConnectionId},
    metrics::Metrics,
    ports::{Body, BoxFuture, Entropy, Policy, Runtime, Spool, Transport, TransportError},
    seal::Vault,
    store::{Breaker, Measured, Records, StoreClock},
    trace::TraceId,
};

/// The user agent of requests that have no other.
pub(crate) const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("stead/", env!("CARGO_PKG_VERSION")));

/// What the services of one deployment share, and who acts.
#[derive(Clone)]
pub(crate) struct Context {
    shared: Arc<Shared>,
    pub(crate) caller: Arc<Caller>,
    /// The request in which the caller acts, where there is one.
    pub(crate) request_id: Option<Arc<str>>,
    /// The trace that the caller named.
    pub(crate) trace_id: Option<TraceId>,
    /// When the caller stops waiting, on the clock of [`Self::monotonic`].
    ends_at: Option<Duration>,
}

/// The parts of a [`Context`].
pub(crate) struct Shared {
    pub(crate) public_url: Url,
    /// The proxy host, where there is one.
    pub(crate) proxy_url: Option<Url>,
    pub(crate) verification: Verification,
    /// Where links may send the browser back; anywhere where there are none.
    pub(crate) verify_origins: Vec<url::Origin>,
    /// Where links send the browser back that say no place.
    pub(crate) verify_url: Option<String>,
    pub(crate) retention: Retention,
    products: BTreeMap<&'static str, Arc<Endpoints>>,
    pub(crate) catalogue: Catalogue,
    transport: Arc<dyn Transport>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) store: Records,
    /// Whether the store answers.
    breaker: Breaker,
    /// How long what was read last serves while the store is away.
    pub(crate) store_outage: Duration,
    clock: StoreClock,
    pub(crate) policy: Arc<dyn Policy>,
    pub(crate) spool: Option<Arc<dyn Spool>>,
    /// What this process calls itself in leases and totals, so that others can ask the spool whether it has ended.
    pub(crate) process: Uuid,
    pub(crate) vault: Arc<Vault>,
    /// When an older copy took the place of the database, where the store knows.
    pub(crate) restored_at: Option<Timestamp>,
    pub(crate) snapshots: snapshots::Snapshots,
    follower: follow::Follower,
    pub(crate) policy_cache: remembered::Remembered<policies::Policies>,
    /// All connections, for what shows them again and again.
    known_connections: remembered::Remembered<Vec<Connection>>,
    pub(crate) bulkheads: bulkheads::Bulkheads,
    /// By account and generation.
    pub(crate) refreshes: single_flight::SingleFlight<(AccountId, u64), Result<Arc<Snapshot>>>,
    pub(crate) store_waits: store_waits::StoreWaits,
    pub(crate) keyed_calls: keyed_calls::KeyedCalls,
    pub(crate) outbox: outbox::OutboxQueue,
    pub(crate) rate_limiters: rate_limit::RateLimiters,
    pub(crate) circuits: circuits::Circuits,
    pub(crate) unreached: unreached::UnreachedHosts,
    /// Up to which age idle credentials were looked at.
    pub(crate) kept_alive: Mutex<Option<Timestamp>>,
    pub(crate) recorder: recorder::Recorder,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) access_tokens: access_tokens::AccessTokens,
    pub(crate) feed: feed::Feed,
    pub(crate) tasks: tasks::Tasks,
    pub(crate) audit_turn: audit::AuditTurn,
    pub(crate) webhook_lanes: webhook_lanes::WebhookLanes,
    /// Whether this process seals everything again, or waits for the one that does.
    pub(crate) reencrypts: AtomicBool,
    sign_ins: sign_in::SignIns,
    /// The provider by which members sign in, where there is one.
    pub(crate) sign_in_provider: Option<KnownProvider>,
    /// The issuer whose JWTs are sessions of agents, where there is one.
    pub(crate) mcp_issuer: Option<KnownIssuer>,
    /// Hosts that the operator lets webhooks reach although they are private, or without TLS.
    pub(crate) private_hosts: Vec<String>,
    /// Hosts that the operator set for products and for the sign-in provider: these may be private too, but not for
    /// webhooks.
    pub(crate) product_hosts: Vec<String>,
    counter: AtomicU32,
    /// From which the ids of calls follow.
    seed: u64,
}

impl Deref for Context {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.shared
    }
}

/// A handle that does not keep the context alive. What is done with it later, Stead does by itself.
pub(crate) struct WeakContext(Weak<Shared>);

impl WeakContext {
    pub(crate) fn upgrade(&self) -> Option<Context> {
        let caller = Arc::new(Caller::Stead);
        self.0.upgrade().map(|shared| Context {
            shared,
            caller,
            request_id: None,
            trace_id: None,
            ends_at: None,
        })
    }
}

impl Context {
    /// Checks the options, and that the keys are those that the store was sealed with.
    pub(crate) async fn open(
        options: EnvironmentOptions,
        catalogue: Catalogue,
        ports: Ports,
    ) -> Result<Self> {
        options.retention.check()?;
        options::check_store_outage(options.store_outage)?;
        let provider = options.sign_in_provider.map(KnownProvider::new);
        let sign_in_provider = provider.transpose()?;
        let mcp_issuer = options
            .mcp_issuer
            .map(|one| KnownIssuer::new(one, &catalogue));
        let mcp_issuer = mcp_issuer.transpose()?;
        for name in options.products.keys() {
            if catalogue.product(name).is_none() {
                return Err(Error::new(
                    ErrorKind::InvalidRequest,
                    format!(
                        "the options name the product {name:?}, which this environment doesn't have"
                    ),
                )
                .with_context(endpoints::SETTING, format!("products.{name}")));
            }
        }
        let products = catalogue
            .products()
            .iter()
            .map(|product| {
                Ok((
                    product.name,
                    Arc::new(Endpoints::new(product, options.products.get(product.name))?),
                ))
            })
            .collect::<Result<_>>()?;
        let product_hosts = options.products.values().flat_map(ProductOptions::hosts);
        let provider_host = sign_in_provider.as_ref();
        let provider_host = provider_host.map(|provider| provider.options.host().to_owned());
        let issuer_host = mcp_issuer.as_ref();
        let issuer_host = issuer_host.map(|issuer| issuer.options.host().to_owned());
        let product_hosts = product_hosts.chain(provider_host).chain(issuer_host);
        let product_hosts = product_hosts.collect();
        let names = catalogue.products().iter().map(|product| product.name);
        let metrics = Arc::new(Metrics::new(names.clone()));
        let bulkheads = bulkheads::Bulkheads::new(options.calls, names);
        let clock = StoreClock::new(Arc::clone(&ports.runtime));
        let (runtime, counted) = (Arc::clone(&ports.runtime), Arc::clone(&metrics));
        let measured = Measured::new(ports.store, runtime, counted);
        let breaker = Breaker::new(Arc::new(measured), Arc::clone(&ports.runtime));
        let store = Records::timed(Arc::new(breaker.clone()), clock.clone());
        store.now().await?;
        let restored_at = store.restored_at().await?;
        let is_shared = store.is_shared();
        let vault = Vault::open(
            ports.keys,
            ports.key_source,
            &store,
            Arc::clone(&ports.runtime),
            Arc::clone(&ports.entropy),
        )
        .await?;
        let vault = Arc::new(vault);
        let store = store.authenticated(Arc::clone(&vault) as _);
        let mut process = [0; 16];
        ports.entropy.fill(&mut process);
        let process = uuid::Builder::from_random_bytes(process).into_uuid();
        let mut seed = [0; 8];
        ports.entropy.fill(&mut seed);
        if let Some(spool) = &ports.spool {
            spool.enter(&process.to_string()).await?;
        }
        let shared = Arc::new(Shared {
            public_url: options.public_url,
            proxy_url: options.proxy_url,
            verification: options.verification,
            verify_origins: options::origins(&options.verify_origins)?,
            verify_url: options.verify_url,
            retention: options.retention,
            products,
            catalogue,
            transport: ports.transport,
            runtime: ports.runtime,
            entropy: ports.entropy,
            store,
            breaker,
            store_outage: options.store_outage,
            clock,
            policy: ports.policy,
            spool: ports.spool,
            process,
            vault,
            restored_at,
            snapshots: snapshots::Snapshots::default(),
            follower: follow::Follower::default(),
            policy_cache: remembered::Remembered::default(),
            known_connections: remembered::Remembered::default(),
            bulkheads,
            refreshes: single_flight::SingleFlight::default(),
            store_waits: store_waits::StoreWaits::default(),
            keyed_calls: keyed_calls::KeyedCalls::default(),
            outbox: outbox::OutboxQueue::default(),
            rate_limiters: rate_limit::RateLimiters::new(
                options.calls.waiting_per_account,
                is_shared,
            ),
            circuits: circuits::Circuits::default(),
            unreached: unreached::UnreachedHosts::default(),
            kept_alive: Mutex::default(),
            recorder: recorder::Recorder::default(),
            metrics,
            access_tokens: access_tokens::AccessTokens::default(),
            feed: feed::Feed::default(),
            tasks: tasks::Tasks::default(),
            audit_turn: audit::AuditTurn::default(),
            webhook_lanes: webhook_lanes::WebhookLanes::default(),
            reencrypts: AtomicBool::default(),
            sign_ins: sign_in::SignIns::default(),
            sign_in_provider,
            mcp_issuer,
            private_hosts: options.private_hosts,
            product_hosts,
            counter: AtomicU32::new(0),
            seed: u64::from_ne_bytes(seed),
        });
        let context = Self {
            shared,
            caller: Arc::default(),
            request_id: None,
            trace_id: None,
            ends_at: None,
        };
        context.check_default_verify_url()?;
        if let Some(issuer) = &context.mcp_issuer {
            issuer.check(&context)?;
        }
        Ok(context)
    }

    /// Sends a request. Each names its user agent: networks in front of products refuse requests that don't.
    pub(crate) fn send(
        &self,
        mut request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let agent = request.headers_mut().entry(header::USER_AGENT);
        agent.or_insert(USER_AGENT);
        self.transport.send(request)
    }

    /// The same for another caller.
    pub(crate) fn acting_as(&self, caller: Caller) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            caller: Arc::new(caller),
            request_id: self.request_id.clone(),
            trace_id: self.trace_id,
            ends_at: self.ends_at,
        }
    }

    /// The same in a request.
    pub(crate) fn in_request(mut self, id: &str) -> Self {
        self.request_id = Some(id.into());
        self
    }

    /// The same in a trace.
    pub(crate) fn in_trace(mut self, id: TraceId) -> Self {
        self.trace_id = Some(id);
        self
    }

    pub(crate) fn downgrade(&self) -> WeakContext {
        WeakContext(Arc::downgrade(&self.shared))
    }

    /// Drops what is kept in memory and was not used lately.
    pub(crate) fn sweep(&self) {
        let now = self.monotonic();
        self.snapshots.sweep(now);
        self.rate_limiters.sweep(now);
    }

    /// The store's time: processes whose own clocks differ agree on it.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
    pub(crate) fn monotonic(&self) -> Duration {
        self.runtime.monotonic()
    }

    /// Whether the store is known not to answer.
    pub(crate) fn store_is_away(&self) -> bool {
        self.breaker.is_away()
    }

    /// Nothing follows from here on whether the store answers: it may be closed.
    pub(crate) fn leave_store(&self) {
        self.breaker.leave();
    }

    /// Ends when the store is known not to answer.
    pub(crate) async fn store_goes_away(&self) {
        self.breaker.goes_away().await;
    }

    /// Whether another process has ended, as far as that is known.
    pub(crate) async fn has_ended(&self, process: Uuid) -> bool {
        let Some(spool) = self.spool.as_ref().filter(|_| process != self.process) else {
            return false;
        };
        spool
            .has_ended(&process.to_string())
            .await
            .unwrap_or_else(|error: Error| {
                tracing::warn!(%process, %error, "no one knows whether a process has ended");
                false
            })
    }

    /// A new id: ordered by time, and within one process by creation.
    pub(crate) fn new_id(&self) -> Uuid {
        let mut random = [0; 8];
        self.entropy.fill(&mut random);
        self.next_id(self.counter.fetch_add(1, Ordering::Relaxed), random)
    }

    /// The same for a call, which asks the system for nothing: whoever knows many such ids may guess others.
    pub(crate) fn new_call_id(&self) -> Uuid {
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        // An odd factor maps counts to numbers one to one and scatters them.
        let scattered = u64::from(count).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.next_id(count, self.seed.wrapping_add(scattered).to_be_bytes())
    }

    fn next_id(&self, count: u32, random: [u8; 8]) -> Uuid {
        let mut bytes = [0; 10];
        bytes[..2].copy_from_slice(&(count & 0xfff).to_be_bytes()[2..]);
        bytes[2..].copy_from_slice(&random);
        let millis = u64::try_from(self.now().as_millisecond()).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }

    /// A new secret of 256 bits, in URL-safe characters.
    pub(crate) fn new_secret(&self, prefix: &str) -> SecretString {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        let mut bytes = zeroize::Zeroizing::new([0; 32]);
        self.entropy.fill(bytes.as_mut_slice());
        SecretString::from(format!(
            "{prefix}{}",
            URL_SAFE_NO_PAD.encode(bytes.as_slice())
        ))
    }

    /// A new secret with six more characters that scanners of leaked secrets recognise it by: the CRC-32 of what stands
    /// before them, in base 62.
    pub(crate) fn new_checked_secret(&self, prefix: &str) -> SecretString {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let secret = self.new_secret(prefix);
        let mut crc = flate2::Crc::new();
        crc.update(secret.expose_secret().as_bytes());
        let mut rest = crc.sum();
        let mut checksum = ['0'; 6];
        for place in checksum.iter_mut().rev() {
            *place = char::from(DIGITS[(rest % 62) as usize]);
            rest /= 62;
        }
        let checksum: String = checksum.iter().collect();
        SecretString::from(format!("{}{checksum}", secret.expose_secret()))
    }

    /// The redirect URI of a connection, as registered at the product byte for byte.
    pub(crate) fn redirect_uri(&self, connection: ConnectionId) -> String {
        self.at(&format!("/sso/v1/oauth/{connection}/callback"))
    }

    /// A URL of this environment.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.public_url.as_str().trim_end_matches('/'))
    }

    pub(crate) fn endpoints(&self, product: &str) -> Result<&Arc<Endpoints>> {
        let called = || {
            self.products
                .get(self.catalogue.product_called(product)?.name)
        };
        self.products.get(product).or_else(called).ok_or_else(|| {
            let message = self.catalogue.no_product(product);
            Error::new(ErrorKind::InvalidRequest, message)
        })
    }
}

#[cfg(test)]
mod tests;
