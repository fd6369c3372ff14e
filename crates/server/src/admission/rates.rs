//! How often the routes may be called that ask for no token.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{Extensions, HeaderMap};
use ipnet::IpNet;
use stead::{
    Error, ErrorKind,
    core::{caller::Caller, environment::Environment},
};

use super::buckets::Buckets;
use crate::{problem::Result, source::Source};

/// The rates of an environment. A source that is not known has no bucket of its own.
#[derive(Debug)]
pub(crate) struct Rates {
    environment: Environment,
    trusted: Vec<IpNet>,
    of_source: Buckets<Source>,
    of_all: Buckets<()>,
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
            of_all: Buckets::new(500, 2000),
            issued: Buckets::new(10, 100),
            of_client: Buckets::new(1, 1),
            refused: Buckets::new(1, 10),
            probes: Buckets::new(10, 20),
            hasher: RandomState::new(),
        }
    }

    /// Counts a request of a stranger.
    pub(crate) fn check(&self, extensions: &Extensions, headers: &HeaderMap) -> Result<(), Error> {
        let now = self.now();
        if let Some(source) = Source::of_request(extensions, headers, &self.trusted) {
            self.of_source
                .take(source, now)
                .map_err(|wait| too_many("this address", wait))?;
        }
        self.of_all
            .take((), now)
            .map_err(|wait| too_many("everyone together", wait))
    }

    /// Where a request comes from; empty where that is not known.
    #[cfg(feature = "dashboard")]
    pub(crate) fn source(&self, extensions: &Extensions, headers: &HeaderMap) -> String {
        let source = Source::of_request(extensions, headers, &self.trusted);
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
                let message = format!("this credential has {rate} requests a minute");
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

/// Lets a request of a stranger pass while there are not too many.
pub(crate) async fn check_rate(
    State(rates): State<Arc<Rates>>,
    request: Request,
    next: Next,
) -> Result<Response> {
    rates.check(request.extensions(), request.headers())?;
    Ok(next.run(request).await)
}
