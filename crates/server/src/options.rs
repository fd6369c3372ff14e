//! What an operator can set about the service.

use ipnet::IpNet;

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
    /// Networks of the reverse proxies in front of the service. A request that comes from one of them, or from this
    /// machine, comes from the last other address in its `X-Forwarded-For`, or where it has none in its `Forwarded`.
    pub trusted_proxies: Vec<IpNet>,
    /// Who gets into the dashboard.
    pub dashboard: DashboardAccess,
}

/// Who gets into the dashboard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DashboardAccess {
    /// Members who have signed in.
    #[default]
    Members,
    /// Every browser on this machine, as an owner: for a stack to try things out, and nothing else.
    SignedInOnLoopback,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_requests: 10_000,
            allowed_hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            dashboard: DashboardAccess::default(),
        }
    }
}
