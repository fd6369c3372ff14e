//! What an operator can set about the service.

use ipnet::IpNet;
use serde_json::Value;

use crate::brand::Brand;

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
    /// Whose pages end users see.
    pub brand: Brand,
    /// Who gets into the dashboard.
    pub dashboard: DashboardAccess,
    /// What the dashboard's home page offers to try out.
    pub trial: Option<Trial>,
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

/// What there is to try out, in an environment that is there for that.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Trial {
    /// The application's id of the user who tries it.
    pub identifier: String,
    /// Who that user is at the products, such as `Ada`.
    pub user: String,
    /// A call for each connection.
    pub samples: Vec<Sample>,
    /// Other addresses of the stack: what each is, and its URL.
    pub addresses: Vec<(String, String)>,
}

impl Trial {
    /// Samples for a user.
    pub fn new(
        identifier: impl Into<String>,
        user: impl Into<String>,
        samples: Vec<Sample>,
    ) -> Self {
        Self {
            identifier: identifier.into(),
            user: user.into(),
            samples,
            addresses: Vec::new(),
        }
    }
}

/// A call that only reads, and where in its result stands what people want to see.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sample {
    /// Connection.
    pub connection_name: String,
    /// What the product is, in a few words.
    pub about: String,
    /// What the call shows, such as `Show unread mails`.
    pub title: String,
    /// Tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// JSON pointer to the list in its result.
    pub list: String,
    /// JSON pointers into an item of the list: to the first column that is shown, and to those after it. Of several
    /// pointers with a bar between them the first one that leads to a text counts.
    pub columns: Vec<String>,
}

impl Sample {
    /// A call of a tool through a connection.
    pub fn new(connection_name: impl Into<String>, tool: impl Into<String>, input: Value) -> Self {
        Self {
            connection_name: connection_name.into(),
            about: String::new(),
            title: String::new(),
            tool: tool.into(),
            input,
            list: String::new(),
            columns: Vec::new(),
        }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_requests: 10_000,
            allowed_hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            brand: Brand::default(),
            dashboard: DashboardAccess::default(),
            trial: None,
        }
    }
}
