//! `stead connect`: a link for a user.

use clap::Args;
use stead_core::{environment::Verification, resource::NewAuthorizationLink};

use crate::{
    failure::{Failure, Flags, Outcome},
    target::Target,
    terminal::{Terminal, time},
};

const FLAGS: Flags = &[
    (
        "/verify_url",
        "--verify-url",
        "use --trust-whoever-has-the-link (here, or at the start of the service) to treat anyone who opens the link as the user",
    ),
    ("/connection_name", "CONNECTION", ""),
    ("/identifier", "IDENTIFIER", ""),
    ("/state", "--state", ""),
    ("/scopes", "--scope", ""),
    ("/expires_in", "--expires-in", ""),
];

/// Print a link with which a user connects an account.
#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// Connection to use.
    connection: String,

    /// Your application's own ID of the user.
    identifier: String,

    /// Text that Stead returns to the verify URL unchanged.
    #[arg(long, value_name = "TEXT")]
    state: Option<String>,

    /// Scope to request instead of the connection's permissions. You can repeat this option.
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,

    /// Seconds until the link expires, from 60 to 86400. The default is 600.
    #[arg(long, value_name = "SECONDS")]
    expires_in: Option<u32>,

    /// Treat anyone who opens the link as the user. With --url, the service's own setting applies.
    #[arg(long)]
    trust_whoever_has_the_link: bool,

    #[command(flatten)]
    target: Target,
}

impl Connect {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let verification = if self.trust_whoever_has_the_link {
            Verification::LinkPossession
        } else {
            Verification::Application
        };
        let target = self.target.open_for_links(verification).await?;
        let mut new = NewAuthorizationLink::new(self.connection, self.identifier);
        new.verify_url = self.target.verify_url();
        new.state = self.state;
        new.scopes = (!self.scopes.is_empty()).then_some(self.scopes);
        new.expires_in = self.expires_in;
        let made = target.stead.actions().authorization_link_with(new).await;
        target.close().await;
        let made = made.map_err(|error| Failure::from(error).with_flags(FLAGS))?;
        terminal.either(&made, || made.link.clone());
        terminal.note(format_args!(
            "Show it only to this user. It works once, until {}.",
            time(made.expires_at)
        ));
        Ok(())
    }
}
