//! Everything that services work with: the ports, keys, catalogue and caches of one deployment.
//!
//! A [`Context`] is cheap to clone. It doesn't know any service; each service is a set of functions that take it.
//!
//! A service gets all nine parts, although it uses six at most. A type with only its parts would have to be converted
//! at each call from one service to another, with the caller, the request and the deadline in it. Instead,
//! `cargo xtask tidy` compares the parts that a service uses with the table in docs/architecture.md.

pub(crate) mod access_tokens;
mod audit;
pub(crate) mod bulkheads;
pub(crate) mod change;
pub(crate) mod circuits;
mod database;
mod deadline;
pub(crate) mod endpoints;
mod feed;
mod follow;
mod forget;
mod host;
pub(crate) mod keyed_calls;
mod lookup;
mod mcp_issuer;
mod moment;
mod options;
pub(crate) mod outbox;
pub(crate) mod policies;
mod products;
pub(crate) mod rate_limit;
pub(crate) mod recorder;
mod remembered;
mod sign_in;
mod sign_in_provider;
pub(crate) mod single_flight;
mod site;
pub(crate) mod snapshots;
mod store_waits;
pub(crate) mod tasks;
pub(crate) mod token_set;
mod unreached;
pub(crate) mod webhook_lanes;
mod work;

use std::{
    ops::Deref,
    sync::{Arc, Mutex, PoisonError, Weak, atomic::AtomicBool},
    time::Duration,
};

use jiff::Timestamp;
use uuid::Uuid;

pub use bulkheads::CallLimits;
pub(crate) use deadline::time_is_over;
pub(crate) use endpoints::Endpoints;
pub use endpoints::ProductOptions;
pub(crate) use lookup::account_view;
pub(crate) use mcp_issuer::KnownIssuer;
pub use mcp_issuer::McpIssuer;
pub use options::{EnvironmentOptions, Ports, Retention, Verification};
pub(crate) use products::USER_AGENT;
pub(crate) use sign_in::Attempt;
pub use sign_in_provider::SignInProvider;
pub(crate) use sign_in_provider::{KnownProvider, ProviderEndpoints};
pub(crate) use site::Site;
pub(crate) use snapshots::Snapshot;
pub(crate) use tasks::TaskGuard;
pub(crate) use token_set::TokenSet;
pub(crate) use work::Panicked;
use {
    database::{Database, Memory},
    host::Host,
    products::Products,
};

use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    catalogue::Catalogue,
    identifier::AccountId,
    metrics::Metrics,
    ports::Policy,
    seal::Vault,
    store::{Breaker, KnownNames, Measured, Records, StoreClock},
    trace::TraceId,
};

/// Everything that the services of a deployment share, with the current caller.
#[derive(Clone)]
pub(crate) struct Context {
    shared: Arc<Shared>,
    pub(crate) caller: Arc<Caller>,
    /// ID of the request that the caller acts in, if there is one.
    pub(crate) request_id: Option<Arc<str>>,
    /// Trace ID from the caller.
    pub(crate) trace_id: Option<TraceId>,
    /// When the caller stops waiting, on the clock of [`Host::monotonic`].
    ends_at: Option<Duration>,
}

/// The parts of a [`Context`], which services use as docs/architecture.md says.
pub(crate) struct Shared {
    pub(crate) host: Host,
    pub(crate) site: Site,
    pub(crate) products: Products,
    pub(crate) store: Database,
    pub(crate) memory: Memory,
    pub(crate) limits: Limits,
    pub(crate) history: History,
    pub(crate) issuers: Issuers,
    pub(crate) workers: Workers,
}

/// Limits on concurrency and rates, and the embedding application's policy.
pub(crate) struct Limits {
    pub(crate) bulkheads: bulkheads::Bulkheads,
    pub(crate) rates: rate_limit::RateLimiters,
    pub(crate) keyed_calls: keyed_calls::KeyedCalls,
    sign_ins: sign_in::SignIns,
    pub(crate) policy: Arc<dyn Policy>,
}

/// The history of calls.
pub(crate) struct History {
    pub(crate) recorder: recorder::Recorder,
    pub(crate) names: KnownNames,
    pub(crate) retention: Retention,
    /// Calls that only read have been removed up to this time.
    reads_removed: Mutex<Timestamp>,
}

impl History {
    pub(crate) fn reads_removed(&self) -> Timestamp {
        *self
            .reads_removed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_reads_removed(&self, until: Timestamp) {
        *self
            .reads_removed
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = until;
    }
}

/// External issuers of identities.
pub(crate) struct Issuers {
    /// The members' sign-in provider, if there is one.
    pub(crate) sign_in: Option<KnownProvider>,
    /// The issuer of agents' JWTs, if there is one.
    pub(crate) mcp: Option<KnownIssuer>,
}

/// Work of services that runs at most once in this process.
#[derive(Default)]
pub(crate) struct Workers {
    /// Running refreshes, by account and generation.
    pub(crate) refreshes: single_flight::SingleFlight<(AccountId, u64), Result<Arc<Snapshot>>>,
    /// Age up to which idle credentials have been checked.
    pub(crate) kept_alive: Mutex<Option<Timestamp>>,
    pub(crate) webhook_lanes: webhook_lanes::WebhookLanes,
    /// Whether this process re-encrypts, or waits for the process that does.
    pub(crate) reencrypts: AtomicBool,
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
        let catalogue = catalogue.with_sets(options.tool_sets)?;
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
                .with_context(crate::error::SETTING, format!("products.{name}")));
            }
        }
        let endpoints = catalogue
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
        let configured_hosts = product_hosts.collect();
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
        let vault = Vault::unlock(
            ports.keys,
            ports.key_source,
            &store,
            Arc::clone(&ports.runtime),
            Arc::clone(&ports.entropy),
        )
        .await?;
        let vault = Arc::new(vault);
        let store = store.authenticated(Arc::clone(&vault) as _);
        let host = Host::new(ports.runtime, ports.entropy, clock, metrics);
        if let Some(spool) = &ports.spool {
            spool.enter(&host.process.to_string()).await?;
        }
        let shared = Arc::new(Shared {
            host,
            site: Site {
                public_url: options.public_url,
                proxy_url: options.proxy_url,
                verification: options.verification,
                verify_origins: options::origins(&options.verify_origins)?,
                verify_url: options.verify_url,
            },
            products: Products {
                catalogue,
                endpoints,
                transport: ports.transport,
                circuits: circuits::Circuits::default(),
                unreached: unreached::UnreachedHosts::default(),
                private_hosts: options.private_hosts,
                configured_hosts,
            },
            store: Database {
                records: store,
                breaker,
                vault,
                spool: ports.spool,
                restored_at,
                waits: store_waits::StoreWaits::default(),
                feed: feed::Feed::default(),
                outbox: outbox::OutboxQueue::default(),
                audit_turn: audit::AuditTurn::default(),
            },
            memory: Memory {
                snapshots: snapshots::Snapshots::default(),
                policies: remembered::Remembered::default(),
                connections: remembered::Remembered::default(),
                access_tokens: access_tokens::AccessTokens::default(),
                follower: follow::Follower::default(),
                store_outage: options.store_outage,
            },
            limits: Limits {
                bulkheads,
                rates: rate_limit::RateLimiters::new(options.calls.waiting_per_account, is_shared),
                keyed_calls: keyed_calls::KeyedCalls::default(),
                sign_ins: sign_in::SignIns::default(),
                policy: ports.policy,
            },
            history: History {
                recorder: recorder::Recorder::default(),
                names: KnownNames::default(),
                retention: options.retention,
                reads_removed: Mutex::new(Timestamp::MIN),
            },
            issuers: Issuers {
                sign_in: sign_in_provider,
                mcp: mcp_issuer,
            },
            workers: Workers::default(),
        });
        let context = Self {
            shared,
            caller: Arc::default(),
            request_id: None,
            trace_id: None,
            ends_at: None,
        };
        context.site.check_default_verify_url()?;
        if let Some(issuer) = &context.issuers.mcp {
            issuer.check(&context.site)?;
        }
        Ok(context)
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
        let now = self.host.monotonic();
        self.memory.snapshots.sweep(now);
        self.limits.rates.sweep(now);
    }

    /// Whether another process is known to have ended.
    pub(crate) async fn has_ended(&self, process: Uuid) -> bool {
        let Some(spool) = self
            .store
            .spool
            .as_ref()
            .filter(|_| process != self.host.process)
        else {
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
}

#[cfg(test)]
mod tests;
