//! `stead accounts`: the users' accounts, in a running service or a database.

#[cfg(feature = "export")]
mod export;
mod import;
mod lines;
mod platforms;

use clap::{Args, Subcommand, builder::PossibleValuesParser};
use serde::Serialize;
use stead_core::resource::{Account, AccountState, Disconnected, ErasureProgress, Revocation};

use crate::{
    failure::{Flags, Outcome},
    target::{IfMissing, Target},
    terminal::{Terminal, time},
};

const FLAGS: Flags = &[
    ("/connection_name", "--connection", ""),
    ("/product", "--product", ""),
    ("/identifier", "--user", ""),
];

/// Users' connected accounts.
#[derive(Debug, Args)]
pub(crate) struct Accounts {
    #[command(subcommand)]
    command: AccountsCommand,
}

#[derive(Debug, Subcommand)]
enum AccountsCommand {
    /// List accounts. Each option narrows the list.
    List {
        /// Only accounts of this connection.
        #[arg(long, value_name = "NAME")]
        connection: Option<String>,
        /// Only accounts of this product.
        #[arg(long, value_name = "PRODUCT")]
        product: Option<String>,
        /// Only accounts of this user, by your application's ID.
        #[arg(long, value_name = "IDENTIFIER")]
        user: Option<String>,
        /// Only accounts in this state.
        #[arg(long, value_name = "STATE", value_parser = PossibleValuesParser::new(AccountState::ALL.map(AccountState::name)))]
        state: Option<String>,
        #[command(flatten)]
        target: Target,
    },
    /// Show an account and the scopes that its user granted.
    Show(One),
    /// Suspend an account. Stead keeps its tokens and refuses its calls.
    Suspend(One),
    /// Resume a suspended account.
    Resume(One),
    /// Refresh an account's tokens now. Stead normally does this automatically before they expire.
    Refresh(One),
    /// Disconnect an account, and destroy its tokens.
    Disconnect {
        #[command(flatten)]
        one: One,
        /// Also revoke the grant at the product. At Google, this revokes every grant of the user in your project.
        #[arg(long)]
        revoke_at_product: bool,
        /// Erase everything that names the user. Events and the history of calls then show a pseudonym.
        #[arg(long)]
        erase: bool,
    },
    Import(import::Import),
    #[cfg(feature = "export")]
    Export(export::Export),
}

/// One account.
#[derive(Debug, Args)]
struct One {
    /// Name of the connection.
    connection: String,
    /// Your application's own ID of the user.
    identifier: String,
    #[command(flatten)]
    target: Target,
}

impl Accounts {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let target = match &self.command {
            AccountsCommand::Import(import) => return import.run(terminal).await,
            #[cfg(feature = "export")]
            AccountsCommand::Export(export) => return export.run(terminal).await,
            AccountsCommand::List { target, .. } => target,
            AccountsCommand::Show(one)
            | AccountsCommand::Suspend(one)
            | AccountsCommand::Resume(one)
            | AccountsCommand::Refresh(one)
            | AccountsCommand::Disconnect { one, .. } => &one.target,
        };
        let target = target.open_without_links(IfMissing::Refuse).await?;
        let outcome = self.command.run(&target.stead, terminal).await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl AccountsCommand {
    async fn run(self, stead: &stead::Stead, terminal: &Terminal) -> Outcome {
        let of = |one: &One| stead.account(&one.connection, &one.identifier);
        let account = match &self {
            Self::List {
                connection,
                product,
                user,
                state,
                ..
            } => {
                let mut accounts = stead.accounts();
                if let Some(connection) = connection {
                    accounts = accounts.connection(connection);
                }
                if let Some(product) = product {
                    accounts = accounts.product(product);
                }
                if let Some(user) = user {
                    accounts = accounts.identifier(user);
                }
                let known = AccountState::ALL.into_iter();
                for state in known.filter(|known| state.as_deref() == Some(known.name())) {
                    accounts = accounts.state(state);
                }
                list(&accounts.list().page_size(100).all().await?, terminal);
                return Ok(());
            }
            Self::Disconnect {
                one,
                revoke_at_product,
                erase,
            } => {
                let end = of(one)?.disconnect().revoke_at_product(*revoke_at_product);
                disconnected(&end.erase(*erase).await?, one, terminal);
                return Ok(());
            }
            Self::Show(one) => of(one)?.read().await?,
            Self::Suspend(one) => of(one)?.suspend().await?,
            Self::Resume(one) => of(one)?.resume().await?,
            Self::Refresh(one) => of(one)?.refresh().await?,
            // These are already handled.
            Self::Import(_) => return Ok(()),
            #[cfg(feature = "export")]
            Self::Export(_) => return Ok(()),
        };
        show(&account, terminal);
        Ok(())
    }
}

fn list(all: &[Account], terminal: &Terminal) {
    if terminal.json() {
        return terminal.result_json(&all);
    }
    if all.is_empty() {
        return terminal.note("No accounts match.");
    }
    let rows = all.iter().map(|account| {
        [
            account.connection_name.to_string(),
            account.product.clone(),
            account.state.name().to_owned(),
            account.identifier.to_string(),
        ]
    });
    terminal.table(["CONNECTION", "PRODUCT", "STATE", "USER"], rows.collect());
}

fn show(account: &Account, terminal: &Terminal) {
    terminal.either(account, || {
        let reason = account.reason.map_or_else(String::new, |reason| {
            format!(", because of {}", word(&reason))
        });
        let mut text = format!(
            "{}\n  connection  {} ({})\n  state       {}{reason}\n  health      {}",
            terminal.bold(account.identifier.as_str()),
            account.connection_name,
            account.product,
            account.state.name(),
            word(&account.health),
        );
        let mut fact = |name: &str, value: String| {
            text.push_str(&format!("\n  {name:<12}{value}"));
        };
        if let Some(user) = &account.product_user {
            fact("is", user.clone());
        }
        if let Some(end) = account.token_expires_at {
            fact("token until", time(end));
        }
        if let Some(end) = account.reauthorize_by {
            fact("reconnect by", time(end));
        }
        fact("created", time(account.created_at));
        for (name, scopes) in [
            ("granted", &account.granted_scopes),
            ("missing", &account.missing_scopes),
        ] {
            for scope in scopes {
                fact(name, scope.clone());
            }
        }
        text
    });
}

/// The name of a state in JSON.
fn word(state: &impl Serialize) -> String {
    let word = serde_json::to_value(state).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

fn disconnected(ended: &Disconnected, one: &One, terminal: &Terminal) {
    if terminal.json() {
        return terminal.result_json(ended);
    }
    let (connection, identifier) = (&one.connection, &one.identifier);
    terminal.note(format_args!("Disconnected {identifier} from {connection}."));
    match ended.revocation {
        Revocation::Requested => terminal.note("Stead is revoking the grant at the product."),
        Revocation::NotPossible => terminal.note("The product doesn't support revoking the grant."),
        _ => {}
    }
    for other in &ended.also_ends {
        terminal.note(format_args!(
            "This also disconnects the account of {} at {}.",
            other.identifier, other.connection_name
        ));
    }
    match ended.erasure {
        Some(ErasureProgress::Complete) => {
            terminal.note("Erased. No stored record names the user.")
        }
        Some(_) => terminal.note(
            "Stead is still erasing older records. Run this command again to see the progress.",
        ),
        None => {}
    }
}
