//! `stead keys`: the keys that encrypt the secrets of a database.

use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::OsEntropy;
use stead_core::{
    environment::Environment,
    resource::{
        ActivateKey, AddKey, DataKey, DataKeyState, KeyActivation, KeyCount, ListKeys,
        Reencryption, RetireKey, RewrapKeys,
    },
    seal::KeyRing,
};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    target::{Database, IfMissing},
    terminal::{Terminal, time},
};

/// Keys that encrypt the secrets of a database.
///
/// Your key ring (STEAD_KEY, --key-file or --key-command) encrypts the data keys, which are in the database. The active
/// data key encrypts every secret. All of these commands work next to a running service.
#[derive(Debug, Args)]
pub(crate) struct Keys {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Generate a key for the key ring, and print it as the environment variable STEAD_KEY.
    ///
    /// Keep it safe and apart from the database. Without it, Stead can't decrypt the database's secrets, and every user
    /// has to connect again. A key ring can have several keys, with commas or line breaks between them. Stead decrypts
    /// with all of them, and encrypts new data keys with the first. To move existing data to the first key, use `stead
    /// keys rotate` or `stead keys rewrap`.
    Generate,
    /// List the data keys, and how many rows each one encrypts.
    List {
        #[command(flatten)]
        database: Database,
    },
    /// Add a data key, encrypted with the first key of the key ring. Stead uses it after `activate`.
    Add {
        #[command(flatten)]
        database: Database,
    },
    /// Encrypt with this data key from now on. After `add`, wait for a minute, so every process has read the new data
    /// key.
    Activate {
        /// Data key, as `stead keys list` names it.
        #[arg(value_name = "KEY")]
        key_id: String,
        /// Don't wait for other processes. Use it only if no service has the database open.
        #[arg(long)]
        now: bool,
        #[command(flatten)]
        database: Database,
    },
    /// Re-encrypt everything with the active data key, while calls continue. If it's interrupted, run it again.
    Reencrypt {
        #[command(flatten)]
        database: Database,
    },
    /// Destroy a data key that no row uses. Older backups still need the key of the key ring that encrypted it.
    Retire {
        /// Data key, as `stead keys list` names it.
        #[arg(value_name = "KEY")]
        key_id: String,
        #[command(flatten)]
        database: Database,
    },
    /// Encrypt the data keys with the first key of the key ring. This doesn't re-encrypt the secrets; after a leak, use
    /// `rotate`.
    Rewrap {
        #[command(flatten)]
        database: Database,
    },
    /// Replace the data key: add one, wait, activate it, re-encrypt everything, and destroy the others. If it's
    /// interrupted, run it again.
    Rotate {
        /// Don't wait for other processes. Use it only if no service has the database open.
        #[arg(long)]
        now: bool,
        #[command(flatten)]
        database: Database,
    },
}

impl Keys {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let database = match &self.command {
            KeysCommand::Generate => {
                let (_, key) = KeyRing::generate(&OsEntropy);
                let key = key.expose_secret();
                terminal.either(&json!({ "key": key }), || format!("STEAD_KEY={key}"));
                return Ok(());
            }
            KeysCommand::List { database }
            | KeysCommand::Add { database }
            | KeysCommand::Activate { database, .. }
            | KeysCommand::Reencrypt { database }
            | KeysCommand::Retire { database, .. }
            | KeysCommand::Rewrap { database }
            | KeysCommand::Rotate { database, .. } => database,
        };
        let platform = database.open_without_links(IfMissing::Refuse).await?;
        let outcome = self.command.run(platform.environment(), terminal).await;
        platform.shut_down().await;
        outcome
    }
}

impl KeysCommand {
    async fn run(&self, environment: &Environment, terminal: &Terminal) -> Outcome {
        match self {
            Self::Generate => {}
            Self::List { .. } => list(environment, terminal).await?,
            Self::Add { .. } => {
                let added = environment.send(AddKey::new()).await?;
                let from = added.activatable_at.map(time);
                terminal.either(&added, || added.key_id.clone());
                terminal.note(format_args!(
                    "You can activate it from {} on, with\n  stead keys activate {}",
                    from.unwrap_or_default(),
                    added.key_id
                ));
            }
            Self::Activate { key_id, now, .. } => {
                show(
                    &environment
                        .send(ActivateKey::new(
                            key_id,
                            KeyActivation::default().at_once(*now),
                        ))
                        .await?,
                    terminal,
                );
            }
            Self::Reencrypt { .. } => {
                reencrypt(environment, terminal).await?;
            }
            Self::Retire { key_id, .. } => retire(environment, terminal, key_id).await?,
            Self::Rewrap { .. } => rewrap(environment, terminal).await?,
            Self::Rotate { now, .. } => rotate(environment, terminal, *now).await?,
        }
        Ok(())
    }
}

fn show(key: &DataKey, terminal: &Terminal) {
    terminal.either(key, || {
        format!(
            "{} is {}, under {}",
            key.key_id,
            key.state.name(),
            key.ring_key
        )
    });
}

async fn list(environment: &Environment, terminal: &Terminal) -> Outcome {
    let keys = environment
        .send(ListKeys::new().count(KeyCount::rows(true)))
        .await?;
    if terminal.json() {
        terminal.result_json(&keys);
        return Ok(());
    }
    let rows = keys.data_keys.iter().map(|key| {
        [
            key.key_id.clone(),
            key.state.name().to_owned(),
            key.ring_key.clone(),
            key.rows.unwrap_or_default().to_string(),
        ]
    });
    terminal.table(["DATA KEY", "STATE", "RING KEY", "ROWS"], rows.collect());
    terminal.note(format_args!(
        "\nKey ring given here: {}",
        keys.ring.join(", ")
    ));
    let refused = keys.data_keys.iter().filter(|key| key.unopened_by > 0);
    for key in refused {
        terminal.note(format_args!(
            "{} processes can't decrypt {}: give them the key {} of the key ring.",
            key.unopened_by, key.key_id, key.ring_key
        ));
    }
    Ok(())
}

async fn reencrypt(environment: &Environment, terminal: &Terminal) -> Outcome<Reencryption> {
    let progress = |now: &Reencryption| {
        let text = || Some(format!("{} rows re-encrypted, {} left", now.done, now.left));
        terminal.event(now, text);
    };
    let last = environment.reencrypt(progress).await?;
    match last.failed.first() {
        None => Ok(last),
        Some(first) => Err(Failure::new(
            Exit::Failed,
            format!(
                "{} rows can't be re-encrypted; the first one is {} of table {}: {}",
                last.failed.len(),
                first.key,
                first.table,
                first.reason
            ),
            "Disconnect its account, or set the connection's client secret again. Then run this command again.",
        )),
    }
}

async fn retire(environment: &Environment, terminal: &Terminal, key: &str) -> Outcome {
    let retired = environment.send(RetireKey::new(key)).await?;
    show(&retired, terminal);
    terminal.note(format_args!(
        "Keep the key {} of the key ring with your older backups.",
        retired.ring_key
    ));
    Ok(())
}

async fn rewrap(environment: &Environment, terminal: &Terminal) -> Outcome {
    let before = environment.send(ListKeys::new()).await?.data_keys;
    let mut after = environment.send(RewrapKeys::new()).await?.data_keys;
    after.retain(|key| {
        let mut same = before.iter().filter(|one| one.key_id == key.key_id);
        same.any(|one| one.ring_key != key.ring_key)
    });
    if after.is_empty() {
        terminal.note("The first key of the key ring already encrypts every data key.");
    }
    after.iter().for_each(|key| show(key, terminal));
    Ok(())
}

/// Continues an interrupted rotation. An added key is activated next, and a retiring key still has rows to re-encrypt.
async fn rotate(environment: &Environment, terminal: &Terminal, now: bool) -> Outcome {
    let in_state = |keys: &[DataKey], state| keys.iter().rfind(|key| key.state == state).cloned();
    let keys = environment
        .send(ListKeys::new().count(KeyCount::rows(false)))
        .await?
        .data_keys;
    let retiring = in_state(&keys, DataKeyState::Retiring);
    let next = match in_state(&keys, DataKeyState::Added) {
        Some(added) => Some(added),
        None if retiring.is_some() => None,
        None => Some(environment.send(AddKey::new()).await?),
    };
    if let Some(next) = next {
        if let Some(from) = next.activatable_at.filter(|_| !now) {
            let wait = from.duration_since(environment.runtime().now());
            let wait = std::time::Duration::try_from(wait).unwrap_or_default();
            terminal.note(format_args!(
                "Waiting {} s, until every process has read the new data key.",
                wait.as_secs()
            ));
            environment.runtime().sleep(wait).await;
        }
        show(
            &environment
                .send(ActivateKey::new(
                    &next.key_id,
                    KeyActivation::default().at_once(now),
                ))
                .await?,
            terminal,
        );
    }
    reencrypt(environment, terminal).await?;
    let keys = environment
        .send(ListKeys::new().count(KeyCount::rows(false)))
        .await?
        .data_keys;
    for key in keys
        .iter()
        .filter(|key| key.state == DataKeyState::Retiring)
    {
        retire(environment, terminal, &key.key_id).await?;
    }
    rewrap(environment, terminal).await
}
