//! The state that every handler can use.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};

use axum::extract::FromRef;
use bytes::Bytes;
use stead::Error;
use stead_core::{environment::Environment, trace::TraceParent};
use tokio::sync::Mutex;
use tracing::Span;

use crate::{
    admission::{Hosts, InFlight, Rates},
    mcp::{self, Mcp},
    metrics::Requests,
    options::ServerOptions,
    pages::Pages,
};

/// The environment, its pages, and the limits of requests.
#[derive(Clone)]
pub(crate) struct ServerState(Arc<Shared>);

/// The parts that all copies of a [`ServerState`] share.
pub(crate) struct Shared {
    pub(crate) environment: Environment,
    pub(crate) pages: Arc<Pages>,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) rates: Arc<Rates>,
    pub(crate) mcp: Arc<Mcp>,
    pub(crate) requests: Arc<Requests>,
    pub(crate) on_trace: Option<fn(&Span, TraceParent)>,
    /// The OpenAPI document, after the first request for it.
    pub(crate) openapi: OnceLock<Bytes>,
    /// The last response of `/readyz`.
    pub(crate) readiness: Mutex<Option<Result<(), Error>>>,
}

impl Deref for ServerState {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl ServerState {
    /// Creates the state for the routes with these paths.
    pub(crate) fn new(
        environment: &Environment,
        options: &ServerOptions,
        paths: impl Iterator<Item = &'static str>,
    ) -> Self {
        Self(Arc::new(Shared {
            environment: environment.clone(),
            pages: Arc::new(Pages::new(environment, &options.brand)),
            in_flight: Arc::new(InFlight::new(options.max_requests)),
            hosts: Arc::new(Hosts::new(environment.public_url(), &options.allowed_hosts)),
            rates: Arc::new(Rates::new(environment, &options.trusted_proxies)),
            mcp: Arc::new(mcp::server(
                environment,
                &options.allowed_origins,
                options.mcp_handlers.as_ref(),
            )),
            requests: Arc::new(Requests::new(paths)),
            on_trace: options.on_trace,
            openapi: OnceLock::new(),
            readiness: Mutex::default(),
        }))
    }
}

impl FromRef<ServerState> for Environment {
    fn from_ref(state: &ServerState) -> Self {
        state.environment.clone()
    }
}

impl FromRef<ServerState> for Arc<Mcp> {
    fn from_ref(state: &ServerState) -> Self {
        Self::clone(&state.mcp)
    }
}

impl FromRef<ServerState> for Arc<Pages> {
    fn from_ref(state: &ServerState) -> Self {
        Self::clone(&state.pages)
    }
}

impl FromRef<ServerState> for Arc<Rates> {
    fn from_ref(state: &ServerState) -> Self {
        Self::clone(&state.rates)
    }
}

/// An address of this environment: the public URL followed by `path`, which starts with a slash.
pub(crate) fn address(environment: &Environment, path: &str) -> String {
    format!(
        "{}{path}",
        environment.public_url().as_str().trim_end_matches('/')
    )
}
