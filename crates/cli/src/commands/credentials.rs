//! `stead credentials`: applications use them to authenticate to a service, and their scopes limit what they may do.

use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use stead::Stead;
use stead_core::resource::{
    AppCredential, AppCredentialChange, ChangeAppCredential, DeleteAppCredential, IssuedAppSecret,
    ListAppCredentials, NewAppCredential, ReadAppCredential, RevokeAppSecret, RotateAppCredential,
    SecretRotation,
};

use crate::{
    duration::seconds,
    failure::{Flags, Outcome},
    target::{IfMissing, Target},
    terminal::{Terminal, time},
};

const FLAGS: Flags = &[
    ("/name", "--name", ""),
    ("/scopes", "--scope", ""),
    ("/rate_per_minute", "--rate", ""),
    ("/connections", "--connection", ""),
    ("/policy", "--policy", ""),
    ("/expires_in", "--expires-in", ""),
    ("/old_expires_in", "--old-expires-in", ""),
];

/// Credentials of your applications: client IDs and secrets.
#[derive(Debug, Args)]
pub(crate) struct Credentials {
    #[command(subcommand)]
    command: CredentialsCommand,
}

#[derive(Debug, Subcommand)]
enum CredentialsCommand {
    /// Create a client ID and secret, and print them. Stead shows the secret only once.
    Create {
        /// Name of the credential, such as your application's name.
        #[arg(long)]
        name: String,
        #[command(flatten)]
        may: May,
        /// When it expires, such as 90d. By default, it doesn't expire.
        #[arg(long, value_name = "TIME", value_parser = seconds)]
        expires_in: Option<u32>,
        #[command(flatten)]
        target: Target,
    },
    /// List all credentials, and when each one was last used.
    List {
        #[command(flatten)]
        target: Target,
    },
    /// Show a credential with its scopes and secrets.
    Show {
        /// Client ID of the credential.
        #[arg(value_name = "CLIENT_ID")]
        credential: String,
        #[command(flatten)]
        target: Target,
    },
    /// Change a credential. Settings without an option don't change.
    Change {
        /// Client ID of the credential.
        #[arg(value_name = "CLIENT_ID")]
        credential: String,
        /// New name.
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        may: May,
        #[command(flatten)]
        target: Target,
    },
    /// Create another secret for a credential, and print it. The present one expires later.
    Rotate {
        /// Client ID of the credential.
        #[arg(value_name = "CLIENT_ID")]
        credential: String,
        /// When the present secret expires, such as 0s, 24h or 7d, at most 90d. The default is 24h.
        #[arg(long, value_name = "TIME", value_parser = seconds)]
        old_expires_in: Option<u32>,
        #[command(flatten)]
        target: Target,
    },
    /// Revoke a credential, or one of its secrets. Its tokens stop working within a second.
    Revoke {
        /// Client ID of the credential.
        #[arg(value_name = "CLIENT_ID")]
        credential: String,
        /// Revoke only the secret with this ID. `show` prints the IDs.
        #[arg(long, value_name = "SECRET_ID")]
        secret: Option<String>,
        #[command(flatten)]
        target: Target,
    },
}

/// Options for what a credential may do.
#[derive(Debug, Args)]
struct May {
    /// Scopes, such as tools:execute:mail. Repeat this option, or separate several values by commas. By default, a new
    /// credential has most scopes. It doesn't have accounts:import, credentials:manage, members:manage, keys:manage,
    /// audit:read, or the scopes of policies and approvals.
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',')]
    scopes: Vec<String>,

    /// Most requests per minute. 0 removes the limit.
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<u32>,

    /// Connection that it's limited to. Repeat this option, or separate several values by commas. It can't see other
    /// connections. Use '*' for all connections, which is the default.
    #[arg(long = "connection", value_name = "NAME", value_delimiter = ',')]
    connections: Vec<String>,

    /// Name of the policy for its calls. Use '' for none.
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
}

/// What was given, if anything.
fn given(list: Vec<String>) -> Option<Vec<String>> {
    (!list.is_empty()).then_some(list)
}

impl Credentials {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let if_missing = match self.command {
            CredentialsCommand::Create { .. } => IfMissing::Create,
            _ => IfMissing::Refuse,
        };
        let target = self.command.target().open_without_links(if_missing).await?;
        let outcome = self.command.run(&target.stead, terminal).await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl CredentialsCommand {
    fn target(&self) -> &Target {
        match self {
            Self::Create { target, .. }
            | Self::List { target }
            | Self::Show { target, .. }
            | Self::Change { target, .. }
            | Self::Rotate { target, .. }
            | Self::Revoke { target, .. } => target,
        }
    }

    async fn run(self, stead: &Stead, terminal: &Terminal) -> Outcome {
        match self {
            Self::Create {
                name,
                may,
                expires_in,
                ..
            } => {
                let mut new = NewAppCredential::new(name);
                new.rate_per_minute = may.rate;
                new.scopes = given(may.scopes);
                new.connections = given(may.connections);
                new.policy = may.policy;
                new.expires_in = expires_in;
                show_secret(&stead.send(new).await?, terminal);
            }
            Self::List { .. } => list(
                &stead
                    .list(ListAppCredentials::new())
                    .page_size(100)
                    .all()
                    .await?,
                terminal,
            ),
            Self::Show { credential, .. } => show(
                &stead.send(ReadAppCredential::new(&credential)).await?,
                terminal,
            ),
            Self::Change {
                credential,
                name,
                may,
                ..
            } => {
                let mut change = AppCredentialChange::default();
                change.name = name;
                change.rate_per_minute = may.rate;
                change.scopes = given(may.scopes);
                change.connections = given(may.connections);
                change.policy = may.policy;
                show(
                    &stead
                        .send(ChangeAppCredential::new(&credential, change))
                        .await?,
                    terminal,
                );
            }
            Self::Rotate {
                credential,
                old_expires_in,
                ..
            } => {
                let mut rotation = SecretRotation::default();
                rotation.old_expires_in = old_expires_in;
                let issued = stead
                    .send(RotateAppCredential::new(&credential, rotation))
                    .await?;
                show_secret(&issued, terminal);
                let older = issued.credential.secrets.first();
                if let Some(end) = older.and_then(|older| older.expires_at) {
                    terminal.error(format_args!("The old secret works until {}.", time(end)));
                }
            }
            Self::Revoke {
                credential,
                secret: Some(secret),
                ..
            } => show(
                &stead
                    .send(RevokeAppSecret::new(&credential, &secret))
                    .await?,
                terminal,
            ),
            Self::Revoke { credential, .. } => {
                stead.send(DeleteAppCredential::new(&credential)).await?;
                terminal.note(format_args!("Revoked {credential}."));
            }
        }
        Ok(())
    }
}

/// Lines for a shell.
fn show_secret(issued: &IssuedAppSecret, terminal: &Terminal) {
    let (id, secret) = (
        &issued.credential.client_id,
        issued.client_secret.expose_secret(),
    );
    terminal.either(issued, || {
        format!("STEAD_CLIENT_ID={id}\nSTEAD_CLIENT_SECRET={secret}")
    });
}

fn list(all: &[AppCredential], terminal: &Terminal) {
    if terminal.json() {
        return terminal.result_json(&all);
    }
    if all.is_empty() {
        return terminal.note(
            "There are no credentials yet. Create one with `stead credentials create --name NAME`.",
        );
    }
    let rows = all.iter().map(|credential| {
        [
            credential.client_id.clone(),
            credential.secrets.len().to_string(),
            last_used(credential),
            credential.name.clone(),
        ]
    });
    terminal.table(
        ["CLIENT ID", "SECRETS", "LAST USED", "NAME"],
        rows.collect(),
    );
    terminal.note("\n`stead credentials show CLIENT_ID` shows scopes and secrets.");
}

fn last_used(credential: &AppCredential) -> String {
    let at = credential.last_used_at;
    at.map_or_else(|| String::from("never"), time)
}

fn show(credential: &AppCredential, terminal: &Terminal) {
    terminal.either(credential, || {
        let rate = credential.rate_per_minute;
        let rate = rate.map_or_else(
            || String::from("not limited"),
            |rate| format!("{rate} requests per minute"),
        );
        let end = credential.expires_at;
        let end = end.map_or_else(|| String::from("never"), time);
        let connections = credential.connections.as_ref();
        let connections = connections.map_or_else(|| String::from("all"), |names| names.join(", "));
        let mut text = format!(
            "{}\n  client ID    {}\n  rate         {rate}\n  last used    {}\n  expires      {end}\n  connections  {connections}\n  scopes",
            terminal.bold(&credential.name),
            credential.client_id,
            last_used(credential),
        );
        for scope in credential.scopes.words() {
            text.push_str(&format!("\n    {scope}"));
        }
        text.push_str("\n  secrets");
        for secret in &credential.secrets {
            let ends_with = secret.ends_with.as_deref().unwrap_or("?");
            text.push_str(&format!(
                "\n    {}  …{ends_with}  of {}",
                secret.secret_id,
                time(secret.created_at)
            ));
            if let Some(end) = secret.expires_at {
                text.push_str(&format!("\n      works until {}", time(end)));
            }
        }
        text
    });
}
