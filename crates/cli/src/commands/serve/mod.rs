//! `stead serve`: the service.

mod brand;
mod mcp;
#[cfg(feature = "dashboard")]
mod sign_in;

#[cfg(feature = "dashboard")]
pub(crate) use self::sign_in::SignInArgs;

use std::{
    future::pending,
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use clap::Args;
use ipnet::IpNet;
use stead::Platform;
use stead_core::{environment::Verification, identifier::AccountId};
use stead_server::{Server, ServerOptions, UnderWay};
use tokio::time::Instant;

use self::{brand::BrandArgs, mcp::McpArgs};
use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    listener, process,
    settings::Settings,
    signals::Signals,
    target::{CallLimitArgs, Database, History, IfMissing, Opening, at_least_one},
    terminal::Terminal,
};

/// Most open connections, even if there are file descriptors for more.
const CONNECTIONS: u64 = 20_000;
/// Most open connections to the metrics.
const METRICS_CONNECTIONS: usize = 16;
/// File descriptors for the store, and for callers that get refused because there are too many connections.
const RESERVE: u64 = 128;
/// How long a stop may take until the last tokens and records are stored. docs/deploy allows 10 s more.
const STOP: Duration = Duration::from_secs(70);
/// How often a stop reports that it's waiting.
const SAY: Duration = Duration::from_secs(5);

/// Start the service: REST, MCP, the OAuth callback and the pages that users open.
///
/// Stead serves plain HTTP. Put a reverse proxy with TLS in front of it, and set --public-url to the proxy's address.
///
/// SIGTERM, SIGINT and SIGHUP stop it gracefully. Stead accepts no new connections, and waits up to 70 s for responses,
/// writes and new tokens. Unauthenticated requests get 25 s. A second signal cuts off all requests. After that,
/// Stead still stores received tokens and the records of calls, within 7 s. The exit code is 0 if Stead answered every
/// request and stored every token, and 1 if not.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    service: Settings<ServiceArgs>,

    /// Create the database file if it's missing. Without this option Stead refuses to start, because a misspelled name
    /// would start an empty service. With PostgreSQL, you create the database, and Stead creates its tables.
    #[arg(long)]
    create: bool,

    /// Accept that the public URL changed. Register the new redirect URIs at the products first. Use this option for
    /// one start only.
    #[arg(long)]
    public_url_changed: bool,

    #[command(flatten)]
    brand: Settings<BrandArgs>,

    #[cfg(feature = "dashboard")]
    #[command(flatten)]
    sign_in: Settings<SignInArgs>,

    #[command(flatten)]
    mcp: Settings<McpArgs>,

    #[command(flatten)]
    calls: Settings<CallLimitArgs>,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    history: Settings<History>,
}

/// The addresses of the service, the callers that it trusts, and its limits.
#[derive(Debug, Args)]
struct ServiceArgs {
    /// Address to listen on.
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8484",
        value_parser = listener::address
    )]
    listen: SocketAddr,

    /// Another address to listen on, for the proxy host only (--proxy-url). You need it if your reverse proxy doesn't
    /// pass on the caller's `Host`.
    #[arg(long, value_name = "ADDRESS", value_parser = listener::address)]
    proxy_listen: Option<SocketAddr>,

    /// Another address to listen on, for metrics: GET /metrics, in Prometheus text format. It needs no token, so use a
    /// network that only your own machines can reach. Without this option, there are no metrics.
    #[arg(long, value_name = "ADDRESS", value_parser = listener::address)]
    metrics_listen: Option<SocketAddr>,

    /// Treat anyone who opens a link as the user, without your application's confirmation. A forwarded link then
    /// connects the wrong person's account.
    #[arg(long)]
    trust_whoever_has_the_link: bool,

    /// Most requests in progress. The next one gets 503 with the kind overloaded.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = ServerOptions::default().max_requests,
        value_parser = at_least_one::<usize>
    )]
    max_requests: usize,

    /// Most open connections. The next caller gets 503 with the kind overloaded. The default is almost half of the file
    /// descriptors, and at most 20000.
    #[arg(long, value_name = "NUMBER", value_parser = at_least_one::<usize>)]
    max_connections: Option<usize>,

    /// Networks of your reverse proxies, such as 10.244.7.0/24. Stead then reads the caller's address from
    /// X-Forwarded-For or Forwarded: the last one that isn't a trusted proxy. It always trusts proxies on this machine.
    /// Keep the networks small, because anyone in them can claim any address. Repeat this option, or separate several
    /// values by commas.
    #[arg(
        long,
        value_name = "NETWORK",
        value_delimiter = ',',
        value_parser = network
    )]
    trusted_proxies: Vec<IpNet>,

    /// Another host name for the pages, in addition to the public URL's and this machine's. For example, the name that
    /// a reverse proxy puts into Host. Repeat this option, or separate several values by commas.
    #[arg(long = "allowed-host", value_name = "HOST", value_delimiter = ',')]
    allowed_hosts: Vec<String>,

    /// Another origin whose scripts may send messages to /mcp, such as https://agent.example.com:443. Repeat this
    /// option, or separate several values by commas.
    #[arg(long = "allowed-origin", value_name = "ORIGIN", value_delimiter = ',')]
    allowed_origins: Vec<String>,

    /// Seconds for which calls continue during a database outage, with the accounts and tokens that Stead read last.
    /// Suspensions and revocations can take that long to apply. 0 turns this off.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 300,
        value_parser = clap::value_parser!(u32).range(..=86_400)
    )]
    store_outage: u32,

    /// Don't print a link for the first member. Use it if no one needs the dashboard.
    #[cfg(feature = "dashboard")]
    #[arg(long, help_heading = "Dashboard sign-in")]
    no_setup_link: bool,
}

impl Serve {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let verification = if self.service.trust_whoever_has_the_link {
            Verification::LinkPossession
        } else {
            Verification::Application
        };
        let brand = self.brand.brand()?;
        let issuer = self.mcp.issuer()?;
        let signals = Signals::listen();
        let descriptors = process::raise_descriptors();
        let if_missing = match self.create {
            true => IfMissing::Create,
            false => IfMissing::Refuse,
        };
        let opening = Opening {
            calls: (&*self.calls).into(),
            store_outage: Some(Duration::from_secs(self.service.store_outage.into())),
            retention: self.history.retention(),
            issuer,
            ..Opening::new(verification, if_missing)
        };
        #[cfg(feature = "dashboard")]
        let opening = Opening {
            provider: self.sign_in.provider()?,
            ..opening
        };
        // The workers outlive the platform, because they may have opened some of its connections.
        let workers = process::workers()?;
        let platform = self.database.open(opening).await?;
        // Bind all listeners before reporting any of them.
        let listener = listener::bind(self.service.listen, "--listen").await?;
        let mut taken = vec![(self.service.listen, "--listen")];
        let proxy_listener =
            listener::bind_another(self.service.proxy_listen, "--proxy-listen", &taken).await?;
        taken.extend(
            self.service
                .proxy_listen
                .map(|address| (address, "--proxy-listen")),
        );
        let metrics_listener =
            listener::bind_another(self.service.metrics_listen, "--metrics-listen", &taken).await?;
        terminal.note(format_args!(
            "Stead listens on {} as {}",
            listener::url(&listener)?,
            platform
                .environment()
                .public_url()
                .as_str()
                .trim_end_matches('/')
        ));
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            address = %self.service.listen,
            public_url = platform.environment().public_url().as_str(),
            "Stead has started"
        );
        self.say_what_to_change(&platform).await?;
        #[cfg(feature = "dashboard")]
        {
            sign_in::check_provider(&platform);
            if !self.service.no_setup_link {
                sign_in::offer_setup(&platform, terminal).await?;
            }
        }
        let mut options = ServerOptions::default();
        options.max_requests = self.service.max_requests;
        options.allowed_hosts = self.service.allowed_hosts.clone();
        options.allowed_origins = self.service.allowed_origins.clone();
        options.trusted_proxies = self.service.trusted_proxies.clone();
        options.brand = brand;
        #[cfg(feature = "otlp")]
        {
            options.on_trace = Some(crate::otlp::follow);
        }
        let connections = self
            .service
            .max_connections
            .unwrap_or_else(|| connections_for(descriptors));
        tracing::info!(descriptors, connections, "bounds");
        let routers = stead_server::routers(&platform, &options);
        let mut server = Server::new(routers.server)
            .on(Arc::clone(&workers))
            .max_connections(connections);
        if let Some(listener) = proxy_listener {
            let Some(proxy) = routers.proxy else {
                return Err(Failure::configuration(
                    "--proxy-listen needs the URL of the proxy host",
                    "Set --proxy-url or the environment variable STEAD_PROXY_URL.",
                ));
            };
            terminal.note(format_args!(
                "The proxy host listens on {}",
                listener::url(&listener)?
            ));
            server = server.also(listener, proxy);
        }
        if let Some(listener) = metrics_listener {
            terminal.note(format_args!(
                "Metrics are at {}/metrics",
                listener::url(&listener)?
            ));
            // The listener for metrics has its own limits, and responds until the process ends.
            let server = Server::new(routers.metrics).max_connections(METRICS_CONNECTIONS);
            tokio::spawn(server.serve(listener, pending(), pending()));
        }
        let under_way = server.under_way();
        let asked = OnceLock::new();
        let shutdown = async {
            signals.received(1).await;
            asked.get_or_init(Instant::now);
        };
        let served = server.serve(listener, shutdown, signals.received(2));
        let cut_off = tokio::select! {
            cut_off = served => cut_off,
            () = say_how_many_wait(terminal, &signals, &under_way) => 0,
        };
        let left = asked
            .get()
            .map_or(STOP, |asked| STOP.saturating_sub(asked.elapsed()));
        tokio::select! {
            () = platform.shut_down() => {}
            () = signals.received(2) => platform.shut_down_now().await,
            () = tokio::time::sleep(left) => platform.shut_down_now().await,
        }
        stopped(cut_off, &platform.environment().tokens_in_memory())
    }
}

impl Serve {
    /// Warns about settings that may be a mistake. It runs after the start, so the warnings don't hide an error.
    async fn say_what_to_change(&self, platform: &Platform) -> Outcome {
        if self.service.trust_whoever_has_the_link {
            tracing::warn!(
                "Stead treats anyone who opens a link as the user (--trust-whoever-has-the-link), so a forwarded link connects the wrong person's account; use this only for tests"
            );
        } else if self.database.takes_any_verify_url() {
            tracing::warn!(
                "links may send browsers to any address; set --verify-origin or STEAD_VERIFY_ORIGINS to your application's origin"
            );
        }
        if self.database.lacks_spool() {
            tracing::warn!(
                "no spool: new tokens are lost if the process ends during a database outage; set --spool-dir or STEAD_SPOOL_DIR to a folder"
            );
        }
        let environment = platform.environment();
        if self.public_url_changed {
            environment.accept_public_url().await?;
        }
        if let Some(moved) = environment.note_public_url().await? {
            let uris = moved.redirect_uris.iter();
            let uris: Vec<String> = uris.map(|(name, uri)| format!("{name} {uri}")).collect();
            tracing::warn!(
                former = moved.former,
                "the public URL has changed, and users can't connect; register these redirect URIs at the products, then start once with --public-url-changed: {}",
                uris.join(", ")
            );
        }
        Ok(())
    }
}

/// The outcome of a stop.
fn stopped(cut_off: usize, lost: &[AccountId]) -> Outcome {
    if !lost.is_empty() {
        let accounts: Vec<String> = lost.iter().map(ToString::to_string).collect();
        return Err(Failure::new(
            Exit::Failed,
            format!(
                "neither the database nor the spool could store new tokens of these accounts, so they are lost: {}",
                accounts.join(" ")
            ),
            "If the next call of an account fails, its user must reconnect.",
        ));
    }
    if cut_off == 0 {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Failed,
        format!("requests were cut off: {cut_off}"),
        "See their outcome with: stead executions",
    ))
}

/// Reports the requests that a stop waits for, as long as it's polled.
async fn say_how_many_wait(terminal: &Terminal, signals: &Signals, under_way: &UnderWay) {
    signals.received(1).await;
    loop {
        terminal.note(format_args!(
            "Stopping: waiting for {} requests in progress. A second signal cuts them off.",
            under_way.count()
        ));
        tokio::time::sleep(SAY).await;
    }
}

/// Half of the file descriptors without a reserve, because a call needs a second one for its product.
fn connections_for(descriptors: Option<u64>) -> usize {
    let descriptors = descriptors.unwrap_or(u64::MAX);
    let half = (descriptors - RESERVE.min(descriptors / 4)) / 2;
    // The value fits into any integer.
    usize::try_from(half.clamp(16, CONNECTIONS)).unwrap_or(usize::MAX)
}

/// A network, or one address.
fn network(text: &str) -> Result<IpNet, String> {
    let network = text.trim();
    network
        .parse()
        .or_else(|_| {
            network
                .parse()
                .map(|address: std::net::IpAddr| address.into())
        })
        .map_err(|_| {
            String::from("expected a network or an address, such as 10.0.0.0/8 or 10.0.0.7")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_get_half_of_the_descriptors_after_a_reserve() {
        for (descriptors, connections) in [
            (Some(128), 48),
            (Some(1024), 448),
            (Some(1_048_576), 20_000),
            (None, 20_000),
        ] {
            assert_eq!(connections_for(descriptors), connections);
        }
    }

    #[test]
    fn a_network_may_be_one_address() {
        assert_eq!(
            network("10.0.0.7").unwrap(),
            network("10.0.0.7/32").unwrap()
        );
        assert!(network("2001:db8::/32").is_ok());
        assert!(network("proxy").is_err());
    }
}
