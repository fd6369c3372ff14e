//! Secrets come from the environment, a file or standard input. Every user of the machine can read a command line, so
//! it's never a source.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

use clap::{Arg, ArgMatches, parser::ValueSource};
use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
};

/// Hidden arguments that only exist for their environment variables, with what to use instead.
const FROM_ENVIRONMENT: &[(&str, &str)] = &[
    (
        "app_client_secret",
        "Use the environment variable STEAD_CLIENT_SECRET.",
    ),
    (
        "key",
        "Use the environment variable STEAD_KEY, or --key-file.",
    ),
    (
        "oidc_client_secret",
        "Use the environment variable STEAD_OIDC_CLIENT_SECRET, or --oidc-client-secret-file.",
    ),
    (
        "product_secret",
        "Use the environment variable STEAD_PRODUCT_CLIENT_SECRET, or --client-secret-file.",
    ),
];

/// Arguments with a database address, and their environment variables.
const DATABASES: &[(&str, &str)] = &[
    ("database_url", "STEAD_DATABASE_URL"),
    ("copy_from", "STEAD_COPY_FROM"),
    ("copy_to", "STEAD_COPY_TO"),
];

/// Where to put the secret of an option.
pub(crate) fn instead_of(option: &Arg) -> String {
    let mut hidden = FROM_ENVIRONMENT.iter();
    match hidden.find(|(id, _)| option.get_id() == id) {
        Some((_, instead)) => (*instead).to_owned(),
        None => {
            let variable = option.get_env().unwrap_or_default().to_string_lossy();
            format!("Use the environment variable {variable}.")
        }
    }
}

/// Refuses a secret in an argument.
pub(crate) fn refuse_on_command_line(matches: &ArgMatches) -> Outcome {
    for (id, instead) in FROM_ENVIRONMENT {
        let known = matches.try_contains_id(id).unwrap_or_default();
        if known && matches.value_source(id) == Some(ValueSource::CommandLine) {
            return Err(Failure::usage(
                "other users of this machine can read a secret on the command line",
                *instead,
            ));
        }
    }
    for (id, variable) in DATABASES {
        let known = matches.try_contains_id(id).unwrap_or_default();
        if known && matches.value_source(id) == Some(ValueSource::CommandLine) {
            let url: Option<&SecretString> = matches.get_one(id);
            if url.is_some_and(|url| has_password(url.expose_secret())) {
                return Err(Failure::usage(
                    "other users of this machine can read a password on the command line",
                    format!(
                        "Use the environment variable {variable}. Or omit the password, and put it into a file that PGPASSFILE names."
                    ),
                ));
            }
        }
    }
    match matches.subcommand() {
        Some((_, inner)) => refuse_on_command_line(inner),
        None => Ok(()),
    }
}

/// Whether the address of a database has a password in it.
fn has_password(url: &str) -> bool {
    // A file has no password, whatever its name contains.
    if url.starts_with("sqlite:") {
        return false;
    }
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    let (address, query) = address.split_once('?').unwrap_or((address, ""));
    let user = address.rsplit_once('@').map_or("", |(user, _)| user);
    user.contains(':') || query.contains("password=")
}

/// A text as a secret.
pub(crate) fn parse(text: &str) -> Result<SecretString, std::convert::Infallible> {
    Ok(SecretString::from(text))
}

/// The first line of a file, or of the standard input for `-`.
pub(crate) fn read(path: &Path) -> Outcome<SecretString> {
    #[cfg(unix)]
    if path != Path::new("-") {
        use std::os::unix::fs::PermissionsExt as _;
        let open = fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o007 != 0);
        if open {
            tracing::warn!(
                "every user of this machine can read {}; run: chmod 600 {}",
                path.display(),
                path.display()
            );
        }
    }
    let text = read_text(path, Exit::Configuration)?;
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() {
        return Err(Failure::configuration(
            format!("{} doesn't contain a secret", name(path)),
            "Put the secret into the first line.",
        ));
    }
    Ok(SecretString::from(line))
}

/// A file's text, or standard input for `-`. `exit` is the exit code if it can't be read.
pub(crate) fn read_text(path: &Path, exit: Exit) -> Outcome<String> {
    let text = if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    // Some editors write a byte order mark, which isn't part of the text.
    let text = text.map(|text| match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    });
    text.map_err(|error| {
        Failure::new(
            exit,
            format!("can't read {}: {error}", name(path)),
            "Check its name and permissions.",
        )
    })
}

/// The text of a key file. Only its owner may have access to it.
pub(crate) fn read_key(path: &Path) -> Outcome<SecretString> {
    if path.is_dir() {
        return Err(Failure::configuration(
            format!("the key file {} is a folder", path.display()),
            "Give the name of the file that contains the key.",
        ));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let open = fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0);
        if open {
            return Err(Failure::configuration(
                format!("the key file {} can be read by others", path.display()),
                format!("Run: chmod 600 {}", path.display()),
            ));
        }
    }
    let text = read_text(path, Exit::Configuration)?;
    Ok(SecretString::from(text.trim()))
}

fn name(path: &Path) -> String {
    if path == Path::new("-") {
        String::from("standard input")
    } else {
        path.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::CommandLine;

    #[test]
    fn a_key_file_may_begin_with_a_byte_order_mark() {
        let folder = tempfile::tempdir().unwrap();
        let Err(Failure::CommandLine { what, next, .. }) = read_key(folder.path()) else {
            panic!("a folder is a key");
        };
        assert!(
            what.ends_with("is a folder") && !next.contains("chmod"),
            "{what} {next}"
        );
        let file = folder.path().join("key");
        fs::write(&file, "\u{feff}k1:hush\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        }
        assert_eq!(read_key(&file).unwrap().expose_secret(), "k1:hush");
    }

    #[test]
    fn a_failure_names_the_file() {
        let failure = read(Path::new("/nonexistent/secret")).unwrap_err();
        assert!(
            matches!(failure, Failure::CommandLine { what, .. } if what.contains("/nonexistent/secret"))
        );
    }

    #[test]
    fn a_secret_as_an_argument_is_refused() {
        let refused = |line: &str| {
            let matches = CommandLine::command().get_matches_from(line.split(' '));
            refuse_on_command_line(&matches).is_err()
        };
        assert!(refused("stead serve --key k1:hush"));
        assert!(refused("stead connections list --key k1:hush"));
        assert!(refused(
            "stead connections create mail --product mail --product-client-secret hush"
        ));
        assert!(refused(
            "stead call mail_list_drafts --connection mail --identifier you --url http://x --client-id a --client-secret hush"
        ));
        assert!(refused(
            "stead store copy --from sqlite:a --to postgres://u:hush@db/d"
        ));
        assert!(refused(
            "stead store copy --from postgres://db/d?password=hush --to sqlite:a"
        ));
        assert!(!refused(
            "stead store copy --from sqlite:a:b@c --to postgres://u@db/d"
        ));
        assert!(!refused("stead serve --key-file key"));
        assert!(!refused("stead tools"));
    }
}
