//! What to do where the database, its key or a setting keeps the platform from being opened.

use std::path::Path;

use secrecy::{ExposeSecret as _, SecretString};
use stead::{Error, ErrorKind, core::seal::KeyRing};

use crate::failure::{Failure, Outcome};

pub(crate) const OTHER_KEY: &str = "Give the key that encrypted it, with --key-file, STEAD_KEY_FILE, STEAD_KEY or --key-command. Look for a copy with your backups of the key.";
pub(crate) const RESTORE: &str = "Stop the service and put a backup in its place: docs/run/backup.md says how. Without a backup, try: sqlite3 FILE .recover";
const NEWER: &str = "Run the newer Stead; `stead --version` says which one this is.";
const OTHER_FILE: &str =
    "Check --database or STEAD_DATABASE: it must name a file of Stead, or a name that no file has.";

/// An option by what its messages begin with.
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
        "Check the options --mcp-…, which --help lists. --mcp-verify-url or STEAD_MCP_VERIFY_URL sets the verify_url for agents; --verify-url or STEAD_VERIFY_URL sets it for all links.",
    ),
    (
        "the database URL",
        "Check --database-url or the environment variable STEAD_DATABASE_URL.",
    ),
];

/// Why the platform does not open. An invalid request is a configuration error here, and so is a file with which waiting
/// does not help.
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

/// Why the database of a server is not opened.
fn at_server(error: Error) -> Failure {
    if error.retryable() {
        return Failure::from(error).with_next(
            "Start the database server, or check host and port in --database-url or STEAD_DATABASE_URL.",
        );
    }
    let message = plain(&error);
    let next = match () {
        () if message.contains("newer Stead") => NEWER,
        () if message.contains("unfinished copy") => "Finish the copy first.",
        () => {
            "Check the user, the password and the database's name in --database-url or STEAD_DATABASE_URL."
        }
    };
    Failure::configuration(message, next)
}

/// What the store says, without its own beginning: here everybody knows that it is the database.
fn plain(error: &Error) -> String {
    error
        .message()
        .replace("the store doesn't respond: ", "")
        .replace("wrote the store", "wrote it")
}

/// Why a file is not opened.
pub(super) fn stored(error: Error, file: &Path) -> Failure {
    // It may be over soon.
    let passes = ["locked", "busy", "disk"];
    if passes.iter().any(|word| error.message().contains(word)) {
        return error.into();
    }
    let message = plain(&error);
    let next = remedy(&message).replace("FILE", &file.display().to_string());
    Failure::configuration(message, next)
}

/// Whether the file is another program's.
pub(crate) fn is_not_ours(why: &str) -> bool {
    let words = [
        "isn't a SQLite database",
        "belongs to another program",
        "another program's database",
        "isn't a Stead database",
    ];
    words.iter().any(|word| why.contains(word))
}

/// What to do about a file that cannot be opened or written.
pub(crate) fn remedy(why: &str) -> &'static str {
    let says = |words: &[&str]| words.iter().any(|word| why.contains(word));
    if says(&["read-only"]) {
        "Let the user that runs Stead write to the file and its folder: chown and chmod u+w, or mount -o remount,rw"
    } else if says(&["damaged"]) {
        RESTORE
    } else if is_not_ours(why) {
        OTHER_FILE
    } else if says(&["newer Stead"]) {
        NEWER
    } else if says(&["locked", "busy"]) {
        "Another program holds it; find it with: lsof FILE"
    } else {
        "Check --database or STEAD_DATABASE, and who owns the file: ls -l FILE"
    }
}

/// Refuses a folder, and a file in a folder that does not exist.
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

/// The folder of a file, where it does not exist: what is wrong, and what to do.
pub(super) fn missing_folder(file: &Path) -> Option<(String, &'static str)> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""))?;
    let is_missing = folder.try_exists().is_ok_and(|exists| !exists);
    is_missing.then(|| {
        (
            format!("the folder {} does not exist", folder.display()),
            "Make it, or choose another name.",
        )
    })
}

/// Refuses a text that is not a key ring, in words that begin with where it came from.
pub(super) fn key(key: &SecretString, origin: &str) -> Outcome {
    let Err(error) = KeyRing::from_text(key.expose_secret()) else {
        return Ok(());
    };
    let message = format!("{origin}: {}", error.message());
    let error = Error::new(error.kind(), message);
    Err(Failure::from(error)
        .with_next("Check that it is whole, as `stead keys generate` printed it."))
}
