//! `stead serve`: the service.

use std::net::SocketAddr;

use clap::Args;
use stead::core::environment::Verification;
use stead_server::ServerOptions;

use crate::{
    failure::Outcome,
    listener, signals,
    target::{CallLimitArgs, Database, IfMissing},
    terminal::Terminal,
};

/// Start the service: REST, the OAuth callback and the page that users open.
///
/// It speaks plain HTTP; put a proxy with TLS in front of it, and give the proxy's address as --public-url.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address to listen on.
    #[arg(
        long,
        env = "STEAD_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8484",
        value_parser = listener::address
    )]
    listen: SocketAddr,

    /// Treat anyone who opens a link as the user, instead of letting your application confirm who came back. A link
    /// that is passed on then connects the wrong person's account.
    #[arg(long, env = "STEAD_TRUST_WHOEVER_HAS_THE_LINK")]
    trust_whoever_has_the_link: bool,

    /// Most requests under way at once; the next one gets 503 with the kind overloaded.
    #[arg(
        long,
        env = "STEAD_MAX_REQUESTS",
        value_name = "NUMBER",
        default_value_t = ServerOptions::default().max_requests
    )]
    max_requests: usize,

    /// Another host by which browsers may reach the pages, besides that of the public URL and this machine's own: such
    /// as the name that a reverse proxy puts into Host. Can be given several times, or with commas.
    #[arg(
        long = "allowed-host",
        env = "STEAD_ALLOWED_HOSTS",
        value_name = "HOST",
        value_delimiter = ','
    )]
    allowed_hosts: Vec<String>,

    /// Make the database where there is none. Without it a missing database is refused, because a name with a typing
    /// error would start an empty service.
    #[arg(long)]
    create: bool,

    #[command(flatten)]
    calls: CallLimitArgs,

    #[command(flatten)]
    database: Database,
}

const TRUSTING: &str = "Warning: whoever opens a link counts as its user (--trust-whoever-has-the-link). A link that is passed on connects the wrong person's account; leave this to tests.";

impl Serve {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let verification = if self.trust_whoever_has_the_link {
            Verification::LinkPossession
        } else {
            Verification::Application
        };
        let if_missing = match self.create {
            true => IfMissing::Create,
            false => IfMissing::Refuse,
        };
        let platform = self
            .database
            .open(verification, (&self.calls).into(), if_missing)
            .await?;
        if verification == Verification::LinkPossession {
            terminal.note(TRUSTING);
        }
        let listener = listener::bind(self.listen, "--listen").await?;
        terminal.note(format_args!(
            "Stead listens on {} as {}",
            listener::url(&listener)?,
            platform
                .environment()
                .public_url()
                .as_str()
                .trim_end_matches('/')
        ));
        let mut options = ServerOptions::default();
        options.max_requests = self.max_requests;
        options.allowed_hosts = self.allowed_hosts;
        let router = stead_server::router_with(&platform, &options);
        stead_server::serve(listener, router, signals::stop()).await;
        terminal.note("Stopping: waiting for calls under way.");
        platform.shut_down().await;
        Ok(())
    }
}
