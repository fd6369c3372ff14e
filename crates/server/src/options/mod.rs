//! Options of the service.

#[cfg(feature = "dashboard")]
mod dashboard;

use ipnet::IpNet;
use stead_core::trace::TraceParent;
use tracing::Span;

use crate::{brand::Brand, mcp::Handlers};
#[cfg(feature = "dashboard")]
pub use dashboard::{
    DashboardAccess, DashboardOptions, Sample, SandboxControl, SandboxField, SandboxRecord,
    SandboxRequest, SandboxSection, Trial,
};

/// Bounds and trust of a [`router_with`](crate::router_with).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerOptions {
    /// Maximum number of running requests. Stead rejects more with 503 `overloaded`. `/healthz` and `/readyz` don't
    /// count. Defaults to 10,000.
    pub max_requests: usize,
    /// Additional hosts, without port, at which browsers can reach `/connect` and `/sso`. For example, add the name
    /// that a reverse proxy uses if it doesn't forward `Host`. The public URL's host and this machine are always
    /// allowed.
    pub allowed_hosts: Vec<String>,
    /// Additional origins of pages whose scripts can send messages to `/mcp`, such as `https://agent.example.com:443`.
    /// The public URL's origin is always allowed.
    pub allowed_origins: Vec<String>,
    /// Handlers for `/mcp` instead of the tools, for tests of the transport.
    pub mcp_handlers: Option<Handlers>,
    /// Networks of the reverse proxies in front of the service. For requests from them or from this machine, the caller
    /// is the last other address in `X-Forwarded-For`, or in `Forwarded` if that is absent.
    pub trusted_proxies: Vec<IpNet>,
    /// The operator's brand on the pages of end users.
    pub brand: Brand,
    /// The dashboard.
    #[cfg(feature = "dashboard")]
    pub dashboard: DashboardOptions,
    /// Called with the span of each request whose caller sent a trace, for an exporter of traces.
    pub on_trace: Option<fn(&Span, TraceParent)>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_requests: 10_000,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            mcp_handlers: None,
            trusted_proxies: Vec::new(),
            brand: Brand::default(),
            #[cfg(feature = "dashboard")]
            dashboard: Default::default(),
            on_trace: None,
        }
    }
}
