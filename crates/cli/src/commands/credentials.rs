use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use serde_json::json;

use crate::{failure::Outcome, local::Local, terminal::Terminal};

/// Credentials with which an application reaches a service.
#[derive(Debug, Args)]
pub(crate) struct Credentials {
    #[command(subcommand)]
    command: CredentialsCommand,
}

#[derive(Debug, Subcommand)]
enum CredentialsCommand {
    /// Make a client id and secret in the database, and print them. The secret is shown this once.
    Create {
        /// Name to tell them apart, such as the application's.
        #[arg(long)]
        name: String,
        #[command(flatten)]
        local: Local,
    },
}

impl Credentials {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let CredentialsCommand::Create { name, local } = self.command;
        let platform = local.open_without_links().await?;
        let made = platform.environment().create_app_credential(&name).await?;
        let (id, secret) = (&made.client_id, made.client_secret.expose_secret());
        terminal.either(&json!({ "client_id": id, "client_secret": secret }), || {
            format!("STEAD_CLIENT_ID={id}\nSTEAD_CLIENT_SECRET={secret}")
        });
        platform.shut_down().await;
        Ok(())
    }
}
