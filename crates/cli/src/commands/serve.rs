use std::net::SocketAddr;

use clap::Args;
use stead::core::environment::Verification;

use crate::{failure::Outcome, house, local::Local, signals, terminal::Terminal};

/// Start the service: REST, the OAuth callback and the page that users open.
///
/// It speaks plain HTTP; put a proxy with TLS before it, and give the proxy's address as --public-url.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address to listen on.
    #[arg(
        long,
        env = "STEAD_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8484"
    )]
    listen: SocketAddr,

    /// Take whoever opens a link for the user, in place of your application's confirmation of who came back. A link
    /// that is passed on then connects the wrong person's account.
    #[arg(long, env = "STEAD_TRUST_WHOEVER_HAS_THE_LINK")]
    trust_whoever_has_the_link: bool,

    #[command(flatten)]
    local: Local,
}

impl Serve {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let verification = if self.trust_whoever_has_the_link {
            Verification::LinkPossession
        } else {
            Verification::Application
        };
        let platform = self.local.open(verification).await?;
        let listener = house::listen(self.listen, "--listen").await?;
        terminal.note(format_args!(
            "Stead listens on {} as {}",
            house::url_of(&listener)?,
            platform
                .environment()
                .public_url()
                .as_str()
                .trim_end_matches('/')
        ));
        stead_server::serve(listener, stead_server::router(&platform), signals::stop()).await;
        terminal.note("Stopping: waiting for calls under way.");
        platform.shut_down().await;
        Ok(())
    }
}
