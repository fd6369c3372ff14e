//! Remedies if the database, its key or a setting is wrong and the platform can't be opened.

use std::path::Path;

use secrecy::{ExposeSecret as _, SecretString};
use stead::{Error, ErrorKind};
use stead_core::seal::KeyRing;

use crate::failure::{Failure, Outcome};

pub(crate) const OTHER_KEY: &str = "Give the key that encrypted it, with --key-file, STEAD_KEY_FILE, STEAD_KEY or --key-command. Look for it in your backups of the key.";
pub(crate) const RESTORE: &str = "Stop the service and restore a backup (see docs/run/backup.md). Without a backup, try: sqlite3 FILE .recover";
const NEWER: &str = "Run the newer Stead. `stead --version` prints the version of this one.";
const OTHER_FILE: &str = "Check --database or STEAD_DATABASE. It must name a database of Stead, or a file that doesn't exist yet.";

/// Options by the beginning of their messages.
const OPTIONS: &[(&str, &str)] = &[
    (
        "the public URL",
        "Check --public-url or the environment variable STEAD_PUBLIC_URL.",
    ),
    (
        "the proxy URL",
        "Check --proxy-url or the environment variable STEAD_PROXY_URL.",
    ),
    (
        "an origin of verify_url",
        "Check --verify-origin or the environment variable STEAD_VERIFY_ORIGINS.",
    ),
    (
        "the default verify_url",
        "Check --verify-url or the environment variable STEAD_VERIFY_URL, or verify_url in the settings file.",
    ),
    (
        "the issuer of agents' tokens",
        "Check the --mcp-… options, which --help lists. --mcp-verify-url or STEAD_MCP_VERIFY_URL sets the verify_url for agents. --verify-url or STEAD_VERIFY_URL sets it for all links.",
    ),
    (
        "the database URL",
        "Check --database-url or the environment variable STEAD_DATABASE_URL.",
    ),
];

/// Why the platform can't be opened. An invalid request is a configuration error here, and so is a file problem that
/// waiting doesn't solve.
pub(super) fn platform(error: Error, database: Option<&Path>) -> Failure {
    let message = error.message();
    match error.kind() {
        ErrorKind::InvalidRequest => {
            let option = OPTIONS.iter().find(|(start, _)| message.starts_with(start));
            let next = option.map_or(
                "Check --public-url, --proxy-url, --verify-origin, --database-url and the settings file.",
                |(_, next)| next,
            );
            Failure::configuration(message, next)
        }
        ErrorKind::KeyUnavailable => Failure::from(error).with_next(OTHER_KEY),
        ErrorKind::StorageUnavailable => match database {
            _ if message.starts_with("the spool ") => match error.retryable() {
                true => error.into(),
                false => Failure::configuration(
                    message,
                    "The user that runs Stead must be able to write to this folder. Change its owner, or name another folder with --spool-dir or STEAD_SPOOL_DIR.",
                ),
            },
            Some(file) => stored(error, file),
            None => at_server(error),
        },
        _ => error.into(),
    }
}

/// Why a PostgreSQL database can't be opened.
fn at_server(error: Error) -> Failure {
    if error.retryable() {
        return Failure::from(error).with_next(
            "Start the database server, or check the host and port in --database-url or STEAD_DATABASE_URL.",
        );
    }
    let message = plain(&error);
    let next = match () {
        () if message.contains("newer Stead") => NEWER,
        () if message.contains("unfinished copy") => {
            "Finish the copy first: run `stead store copy` again."
        }
        () => {
            "Check the user, the password and the database's name in --database-url or STEAD_DATABASE_URL."
        }
    };
    Failure::configuration(message, next)
}

/// The store's message without its prefix, because it's clear here that it's about the database.
fn plain(error: &Error) -> String {
    error
        .message()
        .replace("the store doesn't respond: ", "")
        .replace("wrote the store", "wrote it")
}

/// Why a file can't be opened.
pub(super) fn stored(error: Error, file: &Path) -> Failure {
    // These may go away without a change, so the error stays as it is.
    let passes = ["locked", "busy", "disk"];
    if passes.iter().any(|word| error.message().contains(word)) {
        return error.into();
    }
    let message = plain(&error);
    let next = remedy(&message).replace("FILE", &file.display().to_string());
    Failure::configuration(message, next)
}

/// Whether the file belongs to another program.
pub(crate) fn is_not_ours(why: &str) -> bool {
    let words = [
        "isn't a SQLite database",
        "belongs to another program",
        "another program's database",
        "isn't a Stead database",
    ];
    words.iter().any(|word| why.contains(word))
}

/// The remedy if a file can't be opened or written.
pub(crate) fn remedy(why: &str) -> &'static str {
    let says = |words: &[&str]| words.iter().any(|word| why.contains(word));
    if says(&["read-only"]) {
        "Allow the user that runs Stead to write to the file and its folder: chown and chmod u+w, or mount -o remount,rw"
    } else if says(&["damaged"]) {
        RESTORE
    } else if is_not_ours(why) {
        OTHER_FILE
    } else if says(&["newer Stead"]) {
        NEWER
    } else if says(&["locked", "busy"]) {
        "Another program uses it. Find the program with: lsof FILE"
    } else {
        "Check --database or STEAD_DATABASE, and the owner of the file: ls -l FILE"
    }
}

/// Refuses a folder, and a file in a folder that doesn't exist.
pub(super) fn place_of(file: &Path) -> Outcome {
    if file.is_dir() {
        return Err(Failure::configuration(
            format!("{} is a folder", file.display()),
            "--database or STEAD_DATABASE must name a file.",
        ));
    }
    match missing_folder(file) {
        Some((what, next)) => Err(Failure::configuration(what, next)),
        None => Ok(()),
    }
}

/// The error and its remedy, if the file's folder doesn't exist.
pub(super) fn missing_folder(file: &Path) -> Option<(String, &'static str)> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""))?;
    let is_missing = folder.try_exists().is_ok_and(|exists| !exists);
    is_missing.then(|| {
        (
            format!("the folder {} doesn't exist", folder.display()),
            "Create it, or choose another name.",
        )
    })
}

/// Refuses a text that isn't a key ring. The message starts with the source of the text.
pub(super) fn key(key: &SecretString, origin: &str) -> Outcome {
    let Err(error) = KeyRing::from_text(key.expose_secret()) else {
        return Ok(());
    };
    let message = format!("{origin}: {}", error.message());
    let error = Error::new(error.kind(), message);
    Err(Failure::from(error)
        .with_next("Check that it's complete, exactly as `stead keys generate` printed it."))
}
