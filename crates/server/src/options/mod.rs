//! What an operator can set about the service.

#[cfg(feature = "dashboard")]
mod dashboard;

use ipnet::IpNet;
use stead::core::trace::TraceParent;
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
    /// Most requests under way at once; the next one gets 503 `overloaded`. `/healthz` and `/readyz` are not counted.
    /// 10,000 unless set.
    pub max_requests: usize,
    /// Hosts, besides that of the public URL and this machine's own, by which browsers may reach `/connect` and `/sso`:
    /// such as the name by which a reverse proxy calls the service when it does not pass on `Host`. Without port.
    pub allowed_hosts: Vec<String>,
    /// Origins of pages, besides that of the public URL, whose scripts may send messages to `/mcp`: such as
    /// `https://agent.example.com:443`.
    pub allowed_origins: Vec<String>,
    /// What responds at `/mcp` in place of the tools: for tests of the transport.
    #[doc(hidden)]
    pub mcp_handlers: Option<Handlers>,
    /// Networks of the reverse proxies in front of the service. A request that comes from one of them, or from this
    /// machine, comes from the last other address in its `X-Forwarded-For`, or where it has none in its `Forwarded`.
    pub trusted_proxies: Vec<IpNet>,
    /// Whose pages end users see.
    pub brand: Brand,
    /// The dashboard.
    #[cfg(feature = "dashboard")]
    pub dashboard: DashboardOptions,
    /// What is done with the span of a request whose caller has named its own: for an exporter of traces.
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
