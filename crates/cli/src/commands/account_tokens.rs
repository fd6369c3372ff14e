//! `stead account-tokens`: bearer tokens of one account, at a service or in the database.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use secrecy::ExposeSecret as _;
use stead::{TokenAccess, resource};

use crate::{
    failure::{Flags, Outcome},
    target::Target,
    terminal::{Terminal, time},
};

const FLAGS: Flags = &[
    ("/connection_name", "--connection", ""),
    ("/connections", "--and", ""),
    ("/identifier", "--identifier", ""),
    ("/expires_in", "--expires-in", ""),
];

/// Account tokens. Each one lets a program send raw requests for one account, and nothing else.
#[derive(Debug, Args)]
pub(crate) struct AccountTokens {
    #[command(subcommand)]
    command: AccountTokensCommand,
}

#[derive(Debug, Subcommand)]
enum AccountTokensCommand {
    /// Create a token, and print it. Stead shows it only once.
    Create {
        /// Access of the token.
        #[arg(long, value_enum, default_value_t = Access::Read)]
        access: Access,
        /// Lifetime in seconds, from 60 to 86400.
        #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
        expires_in: u32,
        /// Another connection of the user, of another product, that the token may use too. You can repeat this option.
        #[arg(long, value_name = "NAME")]
        and: Vec<String>,
        #[command(flatten)]
        account: Account,
        #[command(flatten)]
        target: Target,
    },
    /// List the valid tokens of an account.
    List {
        #[command(flatten)]
        account: Account,
        #[command(flatten)]
        target: Target,
    },
    /// Revoke a token.
    Delete {
        /// ID of the token, from `stead account-tokens list`.
        token_id: String,
        #[command(flatten)]
        account: Account,
        #[command(flatten)]
        target: Target,
    },
}

/// The account of a user.
#[derive(Debug, Args)]
struct Account {
    /// Connection of the account.
    #[arg(long, value_name = "NAME")]
    connection: String,

    /// Your application's own ID of the user.
    #[arg(long)]
    identifier: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Access {
    /// Only requests that read.
    Read,
    /// All requests.
    Write,
}

impl AccountTokens {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let (account, target) = self.command.of();
        let target = target.open().await?;
        let account = target
            .stead
            .account(&account.connection, &account.identifier);
        let outcome = match account {
            Ok(account) => self.command.run(&account, terminal).await,
            Err(error) => Err(error.into()),
        };
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl AccountTokensCommand {
    fn of(&self) -> (&Account, &Target) {
        match self {
            Self::Create {
                account, target, ..
            }
            | Self::List { account, target }
            | Self::Delete {
                account, target, ..
            } => (account, target),
        }
    }

    async fn run(&self, account: &stead::Account, terminal: &Terminal) -> Outcome {
        match self {
            Self::Create {
                access,
                expires_in,
                and,
                ..
            } => {
                let access = match access {
                    Access::Read => TokenAccess::Read,
                    Access::Write => TokenAccess::Write,
                };
                let life = Duration::from_secs((*expires_in).into());
                let made = account.token_with(and, access, life).await?;
                terminal.either(&made, || made.token.expose_secret().to_owned());
                terminal.note(format_args!("It is valid until {}.", time(made.expires_at)));
            }
            Self::List { .. } => list(&account.tokens().all().await?, terminal),
            Self::Delete { token_id, .. } => {
                account.end_token(token_id.parse()?).await?;
                terminal.note(format_args!("Revoked {token_id}."));
            }
        }
        Ok(())
    }
}

fn list(all: &[resource::AccountToken], terminal: &Terminal) {
    if terminal.json() {
        terminal.result_json(&all);
    } else if all.is_empty() {
        terminal.note("This account has no tokens.");
    } else {
        let rows = all.iter().map(|token| {
            [
                token.token_id.to_string(),
                token.access.name().to_owned(),
                time(token.expires_at),
                token.client_id.clone().unwrap_or_default(),
            ]
        });
        terminal.table(["ID", "ACCESS", "UNTIL", "CREATED BY"], rows.collect());
    }
}
