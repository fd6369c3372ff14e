//! Everything that services work with: the ports, keys, catalogue and caches of one deployment.
//!
//! A [`Context`] is cheap to clone. It doesn't know any service; each service is a set of functions that take it.

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
pub(crate) use tasks::TaskGuard;
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

/// User agent of requests that don't have one.
pub(crate) const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("stead/", env!("CARGO_PKG_VERSION")));

/// Everything that the services of a deployment share, with the current caller.
#[derive(Clone)]
pub(crate) struct Context {
    shared: Arc<Shared>,
    pub(crate) caller: Arc<Caller>,
    /// ID of the request that the caller acts in, if there is one.
    pub(crate) request_id: Option<Arc<str>>,
    /// Trace ID from the caller.
    pub(crate) trace_id: Option<TraceId>,
    /// When the caller stops waiting, on the clock of [`Self::monotonic`].
    ends_at: Option<Duration>,
}

/// The parts of a [`Context`].
pub(crate) struct Shared {
    pub(crate) public_url: Url,
    /// The proxy host, if there is one.
    pub(crate) proxy_url: Option<Url>,
    pub(crate) verification: Verification,
    /// Origins that links can redirect the browser to. Empty allows any.
    pub(crate) verify_origins: Vec<url::Origin>,
    /// Default URL that links redirect the browser to.
    pub(crate) verify_url: Option<String>,
    pub(crate) retention: Retention,
    products: BTreeMap<&'static str, Arc<Endpoints>>,
    pub(crate) catalogue: Catalogue,
    transport: Arc<dyn Transport>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) store: Records,
    /// Whether the store responds.
    breaker: Breaker,
    /// How long cached data is used while the store is unavailable.
    pub(crate) store_outage: Duration,
    clock: StoreClock,
    pub(crate) policy: Arc<dyn Policy>,
    pub(crate) spool: Option<Arc<dyn Spool>>,
    /// ID of this process in leases and totals. Others can ask the spool whether the process has ended.
    pub(crate) process: Uuid,
    pub(crate) vault: Arc<Vault>,
    /// When the database was last restored from an older copy, if known.
    pub(crate) restored_at: Option<Timestamp>,
    pub(crate) snapshots: snapshots::Snapshots,
    follower: follow::Follower,
    pub(crate) policy_cache: remembered::Remembered<policies::Policies>,
    /// All connections, for callers that need them often.
    known_connections: remembered::Remembered<Vec<Connection>>,
    pub(crate) bulkheads: bulkheads::Bulkheads,
    /// Running refreshes, by account and generation.
    pub(crate) refreshes: single_flight::SingleFlight<(AccountId, u64), Result<Arc<Snapshot>>>,
    pub(crate) store_waits: store_waits::StoreWaits,
    pub(crate) keyed_calls: keyed_calls::KeyedCalls,
    pub(crate) outbox: outbox::OutboxQueue,
    pub(crate) rate_limiters: rate_limit::RateLimiters,
    pub(crate) circuits: circuits::Circuits,
    pub(crate) unreached: unreached::UnreachedHosts,
    /// Age up to which idle credentials have been checked.
    pub(crate) kept_alive: Mutex<Option<Timestamp>>,
    pub(crate) recorder: recorder::Recorder,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) access_tokens: access_tokens::AccessTokens,
    pub(crate) feed: feed::Feed,
    pub(crate) tasks: tasks::Tasks,
    pub(crate) audit_turn: audit::AuditTurn,
    pub(crate) webhook_lanes: webhook_lanes::WebhookLanes,
    /// Whether this process re-encrypts, or waits for the process that does.
    pub(crate) reencrypts: AtomicBool,
    sign_ins: sign_in::SignIns,
    /// The members' sign-in provider, if there is one.
    pub(crate) sign_in_provider: Option<KnownProvider>,
    /// The issuer of agents' JWTs, if there is one.
    pub(crate) mcp_issuer: Option<KnownIssuer>,
    /// Hosts that webhooks can use although they are private or don't use TLS.
    pub(crate) private_hosts: Vec<String>,
    /// Hosts that the operator configured for products and the sign-in provider. They can also be private, but not for
    /// webhooks.
    pub(crate) product_hosts: Vec<String>,
    counter: AtomicU32,
    /// Seed for the IDs of calls.
    seed: u64,
}

impl Deref for Context {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.shared
    }
}

/// A handle that doesn't keep the context alive. Stead itself is the caller of later work with it.
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
    /// Validates the options, and checks that the keys belong to the store.
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

    /// Sends a request with a user agent, because networks in front of products reject requests without one.
    pub(crate) fn send(
        &self,
        mut request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let agent = request.headers_mut().entry(header::USER_AGENT);
        agent.or_insert(USER_AGENT);
        self.transport.send(request)
    }

    /// The same context for another caller.
    pub(crate) fn acting_as(&self, caller: Caller) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            caller: Arc::new(caller),
            request_id: self.request_id.clone(),
            trace_id: self.trace_id,
            ends_at: self.ends_at,
        }
    }

    /// The same context in this request.
    pub(crate) fn in_request(mut self, id: &str) -> Self {
        self.request_id = Some(id.into());
        self
    }

    /// The same context in this trace.
    pub(crate) fn in_trace(mut self, id: TraceId) -> Self {
        self.trace_id = Some(id);
        self
    }

    pub(crate) fn downgrade(&self) -> WeakContext {
        WeakContext(Arc::downgrade(&self.shared))
    }

    /// Drops cached data that wasn't used recently.
    pub(crate) fn sweep(&self) {
        let now = self.monotonic();
        self.snapshots.sweep(now);
        self.rate_limiters.sweep(now);
    }

    /// The store's time. Processes with different clocks agree on it.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
    pub(crate) fn monotonic(&self) -> Duration {
        self.runtime.monotonic()
    }

    /// Whether the store is known to be unavailable.
    pub(crate) fn store_is_away(&self) -> bool {
        self.breaker.is_away()
    }

    /// From now on, failures of the store don't mean that it's unavailable, because it may be closed.
    pub(crate) fn leave_store(&self) {
        self.breaker.leave();
    }

    /// Completes when the store is known to be unavailable.
    pub(crate) async fn store_goes_away(&self) {
        self.breaker.goes_away().await;
    }

    /// Whether another process is known to have ended.
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

    /// A new ID. IDs are ordered by time, and within a process by creation.
    pub(crate) fn new_id(&self) -> Uuid {
        let mut random = [0; 8];
        self.entropy.fill(&mut random);
        self.next_id(self.counter.fetch_add(1, Ordering::Relaxed), random)
    }

    /// A new ID for a call, without a system call. Someone who knows many such IDs may guess others.
    pub(crate) fn new_call_id(&self) -> Uuid {
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        // An odd factor maps counters to different numbers and scatters them.
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

    /// A new secret that secret scanners can recognize. It ends with six more characters: the CRC-32 of the text before
    /// them, in base 62.
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

    /// The redirect URI of a connection, exactly as registered at the product.
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
