//! `stead keys`: which seal the secrets of a database.

use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::{OsEntropy, core::seal::KeyRing};

use crate::terminal::Terminal;

/// Keys that seal the secrets of a database.
#[derive(Debug, Args)]
pub(crate) struct Keys {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Generate a key, and print it as the environment variable STEAD_KEY.
    ///
    /// Keep it safe and apart from the database: without it the database's secrets cannot be opened, and every user has
    /// to authorize again. Several keys go into one variable, separated by commas; the first one seals.
    Generate,
}

impl Keys {
    pub(crate) fn run(self, terminal: &Terminal) {
        match self.command {
            KeysCommand::Generate => {
                let (_, key) = KeyRing::generate(&OsEntropy);
                let key = key.expose_secret();
                terminal.either(&json!({ "key": key }), || format!("STEAD_KEY={key}"));
            }
        }
    }
}
