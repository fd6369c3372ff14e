//! The files that `stead dev --data` keeps with the database: the application's credential, and the sandbox's grants.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
};

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use stead_sandbox::Sandbox;

use crate::{
    failure::{Failure, Outcome},
    target::{AppCredential, Stack},
};

const CREDENTIAL: &str = "client.json";
const SANDBOX: &str = "sandbox.json";

/// The folder. Without one, nothing is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Data<'a>(pub(super) Option<&'a Path>);

impl Data<'_> {
    /// A sandbox with the grants of the previous run and new data.
    pub(super) fn sandbox(self) -> Sandbox {
        let sandbox = Sandbox::new();
        let Some(saved) = self.read(SANDBOX) else {
            return sandbox;
        };
        match sandbox.restore(&saved) {
            Ok(()) => sandbox,
            Err(error) => {
                tracing::warn!(%error, "the sandbox's grants have another version; users must connect again");
                Sandbox::new()
            }
        }
    }

    /// The application's credential of the previous run.
    pub(super) fn credential(self) -> Option<AppCredential> {
        let saved = self.read(CREDENTIAL)?;
        let member = |name: &str| saved[name].as_str();
        Some((
            member("client_id")?.to_owned(),
            member("client_secret")?.into(),
        ))
    }

    /// Stores the application's credential.
    pub(super) fn keep_credential(self, stack: &Stack) -> Outcome {
        let secret = stack.client_secret.expose_secret();
        self.write(
            CREDENTIAL,
            &json!({ "client_id": stack.client_id, "client_secret": secret }),
        )
    }

    /// Stores the sandbox's current grants.
    pub(super) fn keep_sandbox(self, sandbox: &Sandbox) -> Outcome {
        match self.0 {
            Some(_) => self.write(SANDBOX, &sandbox.save()),
            None => Ok(()),
        }
    }

    fn read(self, name: &str) -> Option<Value> {
        let text = fs::read_to_string(self.0?.join(name)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Replaces a file atomically. Only its owner may read it.
    fn write(self, name: &str, value: &Value) -> Outcome {
        let Some(folder) = self.0 else {
            return Ok(());
        };
        let (file, new) = (folder.join(name), folder.join(format!("{name}.new")));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options
            .open(&new)
            .and_then(|mut open| open.write_all(value.to_string().as_bytes()))
            .and_then(|()| fs::rename(&new, &file))
            .map_err(|error| {
                Failure::configuration(
                    format!("can't write {}: {error}", file.display()),
                    "Check the folder of --data and its permissions.",
                )
            })
    }
}
