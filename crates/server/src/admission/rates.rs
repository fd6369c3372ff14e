//! How often the routes may be called that ask for no token.

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
use stead::{
    Error, ErrorKind,
    core::{caller::Caller, environment::Environment, ports::is_loopback},
};

use super::buckets::Buckets;
use crate::{
    problem::Result,
    source::{Network, Source},
};

/// Requests of one network: a burst, and one more in each interval.
const NETWORK_BURST: u32 = 500;
const NETWORK_INTERVAL: Duration = Duration::from_millis(10);

/// The rates of an environment.
#[derive(Debug)]
pub(crate) struct Rates {
    environment: Environment,
    trusted: Vec<IpNet>,
    of_source: Buckets<Source>,
    /// Those that strangers share with users: of a network, and of all whose source isn't known.
    shared: Buckets<Option<Network>>,
    /// Whether it was said that sources aren't known.
    said_unknown: AtomicBool,
    /// Tokens issued to a client: each is a write to the store, which refreshes need as well.
    issued: Buckets<u64>,
    /// Requests of applications whose credential has a rate.
    of_client: Buckets<u64>,
    /// Wrong secrets for a client id. The right secret is never asked to wait for them: else whoever knows the id could
    /// lock its application out.
    refused: Buckets<u64>,
    /// Look-ups for `/readyz`.
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

    /// Counts it against the rate that it shares with others.
    pub(crate) fn check_shared(&self, source: Option<Source>) -> Result<(), Error> {
        let (network, now) = (source.map(Source::network), self.now());
        let taken = match network {
            // One network has a part of what all have whose source isn't known.
            Some(_) => self
                .shared
                .take_at(network, now, NETWORK_INTERVAL, NETWORK_BURST),
            None => self.shared.take(network, now),
        };
        let whose = network.map_or("everyone whose address isn't known", |_| "this network");
        taken.map_err(|wait| too_many(whose, wait))
    }

    /// Says once that a proxy doesn't name its callers.
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

    /// The source of a request, as far as it is known.
    pub(crate) fn source_of(&self, extensions: &Extensions, headers: &HeaderMap) -> Option<Source> {
        Source::of_request(extensions, headers, &self.trusted)
    }

    /// The network of that source.
    pub(crate) fn network(&self, extensions: &Extensions, headers: &HeaderMap) -> Option<Network> {
        self.source_of(extensions, headers).map(Source::network)
    }

    /// Where a request comes from; empty where that is not known.
    #[cfg(feature = "dashboard")]
    pub(crate) fn source(&self, extensions: &Extensions, headers: &HeaderMap) -> String {
        let source = self.source_of(extensions, headers);
        source.map_or_else(String::new, |source| source.to_string())
    }

    /// Counts a request of an application, where its credential has a rate: a minute's requests at once, and more as time
    /// goes on.
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

    /// Whether a client may have one more token. Only those that it got count: else whoever knows its id could use them
    /// up.
    pub(crate) fn may_issue(&self, client_id: &str) -> Result<(), Error> {
        let key = self.hasher.hash_one(client_id);
        self.issued
            .check(key, self.now())
            .map_err(|wait| too_many("this client, which can use a token for an hour", wait))
    }

    /// Counts a token that a client got.
    pub(crate) fn issued(&self, client_id: &str) {
        // Requests at the same time may have passed together.
        let _ = self
            .issued
            .take(self.hasher.hash_one(client_id), self.now());
    }

    /// Counts a secret that was wrong.
    pub(crate) fn refuse(&self, client_id: &str) -> Result<(), Error> {
        self.refused
            .take(self.hasher.hash_one(client_id), self.now())
            .map_err(|wait| too_many("this client with a wrong secret", wait))
    }

    /// Whether the store may be asked once more whether it answers.
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

/// Lets a request of a stranger pass while there are not too many. A rate that strangers share with users refuses only what
/// would fail anyway: a link that exists and a member's session pass, and a guess gets 429.
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
