//! `stead accounts export`: accounts with their tokens, encrypted to a key.

use std::io::{BufWriter, Write};

use age::{Encryptor, x25519::Recipient};
use clap::Args;
use stead::{Error, ErrorKind};
use stead_core::{environment::Environment, resource::AccountWithTokens};
use zeroize::Zeroizing;

use crate::{
    exit::Exit,
    failure::{Failure, Flags, Outcome},
    progress::Progress,
    target::{Database, IfMissing},
    terminal::Terminal,
};

const FLAGS: Flags = &[("/connection_name", "--connection", "")];

/// Export accounts with their tokens to standard output, as lines of JSON that are encrypted with age.
///
/// You need the database and its key; a credential isn't enough. `stead accounts import --identity` reads the file. The
/// audit log records each export and its number of accounts.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// Public key to encrypt the file to, as `age-keygen` prints it. You can repeat this option.
    #[arg(long = "to", value_name = "AGE1…", required = true, value_parser = recipient)]
    recipients: Vec<Recipient>,
    /// Export only the accounts of this connection.
    #[arg(long, value_name = "NAME")]
    connection: Option<String>,
    #[command(flatten)]
    database: Database,
}

fn recipient(text: &str) -> Result<Recipient, String> {
    let rule = "expected a public key of age, which starts with age1";
    text.parse().map_err(|_| rule.to_owned())
}

impl Export {
    pub(super) async fn run(&self, terminal: &Terminal) -> Outcome {
        let Some(out) = terminal.binary() else {
            return Err(Failure::usage(
                "the export is encrypted and can't be shown on a terminal",
                "Write it to a file: stead accounts export --to age1… > accounts.age",
            ));
        };
        let platform = self.database.open_without_links(IfMissing::Refuse).await?;
        let outcome = self.write(platform.environment(), out, terminal).await;
        platform.shut_down().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }

    async fn write(
        &self,
        environment: &Environment,
        out: impl Write + Send,
        terminal: &Terminal,
    ) -> Outcome {
        let recipients = self.recipients.iter().map(|one| one as &dyn age::Recipient);
        let encryptor =
            Encryptor::with_recipients(recipients).map_err(|error| not_written(&error))?;
        let mut out = encryptor
            .wrap_output(BufWriter::new(out))
            .map_err(|error| not_written(&error))?;
        let progress = Progress::new(terminal);
        let mut count = 0_u64;
        let exported = environment
            .export_accounts(self.connection.as_deref(), |account: AccountWithTokens| {
                count += 1;
                if count.is_multiple_of(100) {
                    progress.now(&format!("{count} accounts"));
                }
                let line = serde_json::to_vec(&account).map(Zeroizing::new);
                let mut line = line.map_err(|error| not_written(&error))?;
                line.push(b'\n');
                out.write_all(&line).map_err(|error| not_written(&error))
            })
            .await?;
        // A file without its end can't be decrypted, so no one takes an incomplete file for a complete one.
        let mut inner = out.finish().map_err(|error| not_written(&error))?;
        inner.flush().map_err(|error| not_written(&error))?;
        drop(progress);
        if terminal.json() {
            terminal.error(serde_json::to_string(&exported).unwrap_or_default());
        } else if !terminal.quiet() {
            let mut text = format!("Exported {} accounts.", exported.accounts);
            if exported.without_tokens > 0 {
                let without = exported.without_tokens;
                text.push_str(&format!(" {without} of them have no valid tokens."));
            }
            terminal.error(text);
        }
        match exported.unreadable {
            0 => Ok(()),
            unreadable => Err(Failure::new(
                Exit::Failed,
                format!("can't decrypt the tokens of {unreadable} accounts"),
                "The log lists these accounts. Disconnect them; their users must connect again.",
            )),
        }
    }
}

fn not_written(error: &dyn std::fmt::Display) -> Error {
    let message = format!("can't write the export: {error}");
    Error::new(ErrorKind::Internal, message)
}
