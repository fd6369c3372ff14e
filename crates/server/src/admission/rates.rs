//! Rate limits of the routes that need no token.

use std::{
    hash::{BuildHasher as _, RandomState},
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    extract::{ConnectInfo, Request, State},
    middleware::Next,
    response::Response,
};
use http::{Extensions, HeaderMap};
use ipnet::IpNet;
use stead::{Error, ErrorKind};
use stead_core::{caller::Caller, environment::Environment, ports::is_loopback};

use super::buckets::Buckets;
use crate::{
    problem::Result,
    source::{Network, Source},
};

/// Rate of one network: a burst, and one more request in each interval.
const NETWORK_BURST: u32 = 500;
const NETWORK_INTERVAL: Duration = Duration::from_millis(10);

/// The rates of an environment.
#[derive(Debug)]
pub(crate) struct Rates {
    environment: Environment,
    trusted: Vec<IpNet>,
    of_source: Buckets<Source>,
    /// Rates that strangers share with users: of a network, and of all callers with an unknown source.
    shared: Buckets<Option<Network>>,
    /// Whether the log already says that sources aren't known.
    said_unknown: AtomicBool,
    /// Tokens that a client got. Each is a write to the store, and refreshes need the store too.
    issued: Buckets<u64>,
    /// Requests of applications with a rate limit.
    of_client: Buckets<u64>,
    /// Wrong secrets for a client ID. The right secret is accepted regardless of them. Otherwise, anyone who knows the
    /// ID could lock out its application.
    refused: Buckets<u64>,
    /// Checks of the store for `/readyz`.
    probes: Buckets<()>,
    hasher: RandomState,
}

impl Rates {
    pub(crate) fn new(environment: &Environment, trusted: &[IpNet]) -> Self {
        Self {
            environment: environment.clone(),
            trusted: trusted.to_vec(),
            of_source: Buckets::new(20, 100),
            shared: Buckets::new(500, 2000),
            said_unknown: AtomicBool::new(false),
            issued: Buckets::new(10, 100),
            of_client: Buckets::new(1, 1),
            refused: Buckets::new(1, 10),
            probes: Buckets::new(10, 20),
            hasher: RandomState::new(),
        }
    }

    /// Counts a request of a stranger.
    pub(crate) fn check(&self, source: Option<Source>) -> Result<(), Error> {
        let Some(source) = source else {
            return Ok(());
        };
        let taken = self.of_source.take(source, self.now());
        taken.map_err(|wait| too_many("this address", wait))
    }

    /// Counts the request against the rate that it shares with others.
    pub(crate) fn check_shared(&self, source: Option<Source>) -> Result<(), Error> {
        let (network, now) = (source.map(Source::network), self.now());
        let taken = match network {
            // The rate of a single network is a part of the rate that all callers without a known source share.
            Some(_) => self
                .shared
                .take_at(network, now, NETWORK_INTERVAL, NETWORK_BURST),
            None => self.shared.take(network, now),
        };
        let whose = network.map_or("everyone whose address isn't known", |_| "this network");
        taken.map_err(|wait| too_many(whose, wait))
    }

    /// Warns once if a proxy doesn't name its callers.
    fn warn_of_proxy(&self, extensions: &Extensions) {
        let came_over_a_socket = extensions.get::<ConnectInfo<SocketAddr>>().is_some();
        if came_over_a_socket
            && !self
                .environment
                .public_url()
                .host_str()
                .is_some_and(is_loopback)
            && !self.said_unknown.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "a proxy in front of Stead doesn't set X-Forwarded-For, so all its callers share one rate limit. Set the header at the proxy. Until then, sign-in is limited only per account"
            );
        }
    }

    /// The source of a request, if it's known.
    pub(crate) fn source_of(&self, extensions: &Extensions, headers: &HeaderMap) -> Option<Source> {
        Source::of_request(extensions, headers, &self.trusted)
    }

    /// The network of that source.
    pub(crate) fn network(&self, extensions: &Extensions, headers: &HeaderMap) -> Option<Network> {
        self.source_of(extensions, headers).map(Source::network)
    }

    /// The address of a request's source. Empty if it's not known.
    #[cfg(feature = "dashboard")]
    pub(crate) fn source(&self, extensions: &Extensions, headers: &HeaderMap) -> String {
        let source = self.source_of(extensions, headers);
        source.map_or_else(String::new, |source| source.to_string())
    }

    /// Counts a request of an application, if its credential has a rate limit. It can use the requests of a minute in
    /// one burst.
    pub(crate) fn check_caller(&self, caller: &Caller) -> Result<(), Error> {
        let Caller::Application(application) = caller else {
            return Ok(());
        };
        let Some(rate) = application.rate_per_minute.filter(|rate| *rate > 0) else {
            return Ok(());
        };
        let key = self.hasher.hash_one(&application.client_id);
        self.of_client
            .take_at(key, self.now(), Duration::from_secs(60) / rate, rate)
            .map_err(|wait| {
                let message =
                    format!("this credential is limited to {rate} requests a minute; slow down");
                Error::new(ErrorKind::RateLimited, message).with_retry_after(wait)
            })
    }

    /// Checks that a client may get another token. Only tokens that it got count. Otherwise, anyone who knows its ID
    /// could use up its rate.
    pub(crate) fn may_issue(&self, client_id: &str) -> Result<(), Error> {
        let key = self.hasher.hash_one(client_id);
        self.issued
            .check(key, self.now())
            .map_err(|wait| too_many("this client, which can use a token for an hour", wait))
    }

    /// Counts a token that a client got.
    pub(crate) fn issued(&self, client_id: &str) {
        // Several requests can pass the check at the same time.
        let _ = self
            .issued
            .take(self.hasher.hash_one(client_id), self.now());
    }

    /// Counts a wrong secret.
    pub(crate) fn refuse(&self, client_id: &str) -> Result<(), Error> {
        self.refused
            .take(self.hasher.hash_one(client_id), self.now())
            .map_err(|wait| too_many("this client with a wrong secret", wait))
    }

    /// Whether the store may be checked again now.
    pub(crate) fn may_probe(&self) -> bool {
        self.probes.take((), self.now()).is_ok()
    }

    fn now(&self) -> Duration {
        self.environment.runtime().monotonic()
    }
}

fn too_many(whose: &str, wait: Duration) -> Error {
    let message = format!("too many requests of {whose}");
    Error::new(ErrorKind::RateLimited, message).with_retry_after(wait)
}

/// Admits a stranger's request within the rates. A shared rate only rejects requests that would fail anyway. A valid
/// link or a member's session passes, and a guess gets 429.
pub(crate) async fn check_rate(
    State(rates): State<Arc<Rates>>,
    request: Request,
    next: Next,
) -> Result<Response> {
    let source = rates.source_of(request.extensions(), request.headers());
    if source.is_none() {
        rates.warn_of_proxy(request.extensions());
    }
    rates.check(source)?;
    let shared = rates.check_shared(source);
    let response = next.run(request).await;
    match shared {
        Err(error) if response.status().is_client_error() => Err(error.into()),
        _ => Ok(response),
    }
}
