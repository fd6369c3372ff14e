//! `stead mcp`: an MCP server on standard input and output, and the configuration of clients.

mod bridge;
mod install;

use std::sync::Arc;

use clap::{Args, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};
use stead::{Platform, resource::NewMcpSession};
use stead_core::{environment::Verification, resource::DeleteMcpSession};
use stead_server::{Server, ServerOptions};

use super::mcp_sessions::{FLAGS, Session};
use crate::{
    failure::{Failure, Outcome},
    listener, secrets,
    target::{Database, IfMissing, Opening},
    terminal::Terminal,
};

/// Serve the tools to an agent over standard input and output (Model Context Protocol).
///
/// With --url and a session token in STEAD_MCP_TOKEN, it forwards messages to a running service. Otherwise it opens the
/// database and creates a session for --identifier, which ends with this command.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    command: Option<McpCommand>,

    /// URL of a running service. Without it, the command opens the database.
    #[arg(long, env = "STEAD_URL", value_name = "URL")]
    url: Option<String>,

    /// Token of an MCP session, from `stead mcp-sessions create`. Give it only in the environment, because every user
    /// of a machine can read the arguments of its processes.
    #[arg(long, env = "STEAD_MCP_TOKEN", value_name = "TOKEN", hide = true, hide_env_values = true, value_parser = secrets::parse)]
    token: Option<SecretString>,

    /// Treat anyone who opens a link as the user. With --url, the service's own setting applies.
    #[arg(long)]
    trust_whoever_has_the_link: bool,

    /// Your application's own ID of the user. Every call is for this user.
    #[arg(long)]
    identifier: Option<String>,

    #[command(flatten)]
    session: Session,

    #[command(flatten)]
    database: Database,
}

#[derive(Debug, Subcommand)]
enum McpCommand {
    Install(install::Install),
}

impl Mcp {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        if let Some(McpCommand::Install(command)) = self.command {
            return command.run(terminal);
        }
        match (&self.url, &self.token, &self.identifier) {
            (Some(url), Some(token), _) => {
                let url = format!("{}/mcp", url.trim_end_matches('/'));
                bridge::run(url, token.expose_secret()).await
            }
            (None, _, Some(identifier)) => self.embedded(identifier).await,
            (Some(_), None, _) => Err(Failure::usage(
                "the service needs the token of an MCP session",
                "Create one with `stead mcp-sessions create --identifier ID`, and set it as the environment variable STEAD_MCP_TOKEN.",
            )),
            (None, _, None) => Err(Failure::usage(
                "the user is missing",
                "Set --identifier to your application's own ID of the user, or use --url with a session token.",
            )),
        }
    }

    /// Opens the database, and serves the usual routes on a local port.
    async fn embedded(&self, identifier: &str) -> Outcome {
        let verification = match self.trust_whoever_has_the_link {
            true => Verification::LinkPossession,
            false => Verification::Application,
        };
        let opening = Opening::new(verification, IfMissing::Refuse);
        let platform = self.database.open(opening).await?;
        let outcome = serve(&platform, self.session.to_new(identifier)).await;
        platform.shut_down().await;
        outcome
    }
}

async fn serve(platform: &Platform, session: NewMcpSession) -> Outcome {
    let made = platform.send(session).await;
    let made = made.map_err(|error| Failure::from(error).with_flags(FLAGS))?;
    let listener = listener::bind_free_port().await?;
    let url = format!("{}/mcp", listener::url(&listener)?);
    let router = stead_server::router_with(platform, &ServerOptions::default());
    let ended = Arc::new(tokio::sync::Notify::new());
    let end = Arc::clone(&ended);
    let serving = Server::new(router).serve(
        listener,
        async move { end.notified().await },
        std::future::ready(()),
    );
    let serving = tokio::spawn(serving);
    let outcome = bridge::run(url, made.token.expose_secret()).await;
    ended.notify_one();
    let _ = serving.await;
    platform
        .send(DeleteMcpSession::new(made.session.session_id))
        .await?;
    outcome
}
