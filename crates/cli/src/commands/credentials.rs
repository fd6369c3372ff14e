//! `stead credentials`: with which an application authenticates to a service.

use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use serde_json::json;

use crate::{
    failure::Outcome,
    target::{Database, IfMissing},
    terminal::Terminal,
};

/// Credentials with which an application authenticates to a service.
#[derive(Debug, Args)]
pub(crate) struct Credentials {
    #[command(subcommand)]
    command: CredentialsCommand,
}

#[derive(Debug, Subcommand)]
enum CredentialsCommand {
    /// Create a client id and secret in the database, and print them. The secret is shown only once.
    Create {
        /// Name of the credentials, such as the application's.
        #[arg(long)]
        name: String,
        #[command(flatten)]
        database: Database,
    },
}

impl Credentials {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let CredentialsCommand::Create { name, database } = self.command;
        let platform = database.open_without_links(IfMissing::Create).await?;
        let made = platform.environment().create_app_credential(&name).await?;
        let (id, secret) = (&made.client_id, made.client_secret.expose_secret());
        terminal.either(&json!({ "client_id": id, "client_secret": secret }), || {
            format!("STEAD_CLIENT_ID={id}\nSTEAD_CLIENT_SECRET={secret}")
        });
        platform.shut_down().await;
        Ok(())
    }
}
