//! Sources of the key ring: a file, or the output of a command.

use std::{io, path::PathBuf, process::Stdio, time::Duration};

use secrecy::SecretString;
use stead::{Error, ErrorKind};
use stead_core::ports::{BoxFuture, KeySource};
use tokio::{process::Command, time::timeout};

use crate::{failure::Failure, secrets};

/// Longest wait for a key management service.
const WAIT: Duration = Duration::from_secs(30);

/// A file. Stead reads it again if a key is missing.
pub(crate) struct KeyFile(pub(crate) PathBuf);

impl KeySource for KeyFile {
    fn read(&self) -> BoxFuture<'_, stead::Result<SecretString>> {
        let read = secrets::read_key(&self.0).map_err(|failure| {
            let why = match failure {
                Failure::CommandLine { what, .. } => what,
                _ => String::from("can't read the key file"),
            };
            Error::new(ErrorKind::KeyUnavailable, why)
        });
        Box::pin(std::future::ready(read))
    }
}

/// A program and its arguments, started without a shell.
pub(crate) struct KeyCommand(Vec<String>);

impl KeyCommand {
    /// The words of a command line, separated by white space. Quotes and variables don't work; use a script for them.
    pub(crate) fn new(line: &str) -> Self {
        Self(line.split_whitespace().map(str::to_owned).collect())
    }

    async fn run(&self) -> stead::Result<SecretString> {
        let (program, arguments) = self
            .0
            .split_first()
            .ok_or_else(|| Error::new(ErrorKind::KeyUnavailable, "the key command is empty"))?;
        // The arguments and the output may contain a secret, so the error shows neither.
        let failed = |why: String| {
            Error::new(
                ErrorKind::KeyUnavailable,
                format!("the key command {program:?} {why}"),
            )
        };
        let output = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .output();
        let output = timeout(WAIT, output)
            .await
            .map_err(|_| failed(format!("didn't finish within {} s", WAIT.as_secs())))?
            .map_err(|error| failed(format!("can't be started: {}", not_started(&error))))?;
        if !output.status.success() {
            return Err(failed(format!("failed ({})", output.status)));
        }
        let text = as_text(output.stdout);
        text.ok_or_else(|| failed(String::from("didn't print text")))
    }
}

impl KeySource for KeyCommand {
    fn read(&self) -> BoxFuture<'_, stead::Result<SecretString>> {
        Box::pin(self.run())
    }
}

/// Why a program doesn't start.
fn not_started(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => String::from("there is no such program"),
        kind => kind.to_string(),
    }
}

/// The bytes as text, without a copy.
fn as_text(bytes: Vec<u8>) -> Option<SecretString> {
    String::from_utf8(bytes).ok().map(SecretString::from)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[cfg(unix)]
    #[tokio::test]
    async fn a_command_prints_the_ring_and_no_failure_shows_its_words() {
        let read = KeyCommand::new("echo  k1:hush").read().await.unwrap();
        assert_eq!(read.expose_secret(), "k1:hush\n");
        for (line, why) in [
            ("", "empty"),
            ("/nonexistent/kms CANARY", "there is no such program"),
            ("cat /nonexistent/CANARY", "failed"),
        ] {
            let error = KeyCommand::new(line).read().await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::KeyUnavailable, "{line}");
            let said = error.to_string();
            assert!(said.contains(why) && !said.contains("CANARY"), "{said}");
        }
    }
}
