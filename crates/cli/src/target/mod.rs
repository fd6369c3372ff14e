//! The target of a command: a running service, the database, or a service with a sandbox in this process.

mod call_limits;
mod database;
mod history;
mod refused;
#[cfg(feature = "sandbox")]
mod stack;

pub(crate) use call_limits::{CallLimitArgs, at_least_one};
pub(crate) use database::{Database, IfMissing, Opening, Place};
pub(crate) use history::History;
pub(crate) use refused::{OTHER_KEY, RESTORE, is_not_ours, remedy};
#[cfg(feature = "sandbox")]
pub(crate) use stack::{
    AppCredential, CONNECTION, Listeners, SANDBOX_USER, Stack, USER, with_storage,
};

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use stead::{Client, Platform, Stead};
use stead_core::environment::Verification;

use crate::{
    failure::{Failure, Outcome},
    secrets,
};

/// A running service, or the database.
#[derive(Debug, Args)]
pub(crate) struct Target {
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    database: Database,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Service")]
struct Service {
    /// URL of a running service. Without it, the command opens the database.
    #[arg(long, env = "STEAD_URL", value_name = "URL")]
    url: Option<String>,
    /// Your application's client ID at the service. Set its secret in the environment variable STEAD_CLIENT_SECRET.
    #[arg(
        id = "app_client_id",
        long = "client-id",
        env = "STEAD_CLIENT_ID",
        value_name = "ID"
    )]
    client_id: Option<String>,
    #[arg(id = "app_client_secret", long = "client-secret", env = "STEAD_CLIENT_SECRET", value_name = "SECRET", hide = true, hide_env_values = true, value_parser = secrets::parse)]
    client_secret: Option<SecretString>,
}

/// Every operation, and the platform if it's in this process.
pub(crate) struct OpenTarget {
    pub(crate) stead: Stead,
    platform: Option<Platform>,
}

impl Target {
    /// Opens it for calls.
    pub(crate) async fn open(&self) -> Outcome<OpenTarget> {
        match self.service.client()? {
            Some(open) => Ok(open),
            None => Ok(OpenTarget::over(
                self.database.open_without_links(IfMissing::Refuse).await?,
            )),
        }
    }

    /// Opens it for changes. Exactly one of the two may be set, so it's clear which one changes.
    pub(crate) async fn open_the_only_one(&self, if_missing: IfMissing) -> Outcome<OpenTarget> {
        match (&self.service.url, self.database.is_given()) {
            (Some(_), true) => Err(Failure::usage(
                "both a service and a database are given",
                "To use the database, omit --url and STEAD_URL. To use the service, omit --database and \
                 STEAD_DATABASE.",
            )),
            (None, false) => Err(Failure::configuration(
                "neither a service nor a database is given",
                "For a service, set --url or STEAD_URL, STEAD_CLIENT_ID and STEAD_CLIENT_SECRET.\n  For the database, set \
                 --database or STEAD_DATABASE, --public-url or STEAD_PUBLIC_URL, and --key-file, STEAD_KEY_FILE or \
                 STEAD_KEY.",
            )),
            _ => self.open_to(Verification::Application, if_missing).await,
        }
    }

    /// The same as `open`, without links and redirect URIs, which need the public URL.
    pub(crate) async fn open_without_links(&self, if_missing: IfMissing) -> Outcome<OpenTarget> {
        if let (None, true) = (&self.service.url, self.database.is_given()) {
            let platform = self.database.open_without_links(if_missing).await?;
            return Ok(OpenTarget::over(platform));
        }
        self.open_the_only_one(if_missing).await
    }

    /// Opens it for links. A service has its own setting for who confirms them; `verification` is for the database.
    pub(crate) async fn open_for_links(&self, verification: Verification) -> Outcome<OpenTarget> {
        self.open_to(verification, IfMissing::Refuse).await
    }

    /// The default `verify_url`.
    pub(crate) fn verify_url(&self) -> Option<String> {
        self.database.verify_url().map(str::to_owned)
    }

    async fn open_to(
        &self,
        verification: Verification,
        if_missing: IfMissing,
    ) -> Outcome<OpenTarget> {
        match self.service.client()? {
            Some(open) => Ok(open),
            None => {
                let open = self.database.open(Opening::new(verification, if_missing));
                Ok(OpenTarget::over(open.await?))
            }
        }
    }
}

impl Service {
    fn client(&self) -> Outcome<Option<OpenTarget>> {
        let Some(url) = &self.url else {
            return Ok(None);
        };
        let (Some(id), Some(secret)) = (&self.client_id, &self.client_secret) else {
            return Err(Failure::usage(
                "the service needs your application's client ID and secret",
                "Set the environment variables STEAD_CLIENT_ID and STEAD_CLIENT_SECRET. `stead credentials create` creates \
                 both.",
            ));
        };
        let client = Client::new(url, id.clone(), secret.expose_secret())?;
        Ok(Some(OpenTarget {
            stead: client.into(),
            platform: None,
        }))
    }
}

impl OpenTarget {
    fn over(platform: Platform) -> Self {
        Self {
            stead: Stead::from(&platform),
            platform: Some(platform),
        }
    }

    /// Waits until all writes are done.
    pub(crate) async fn close(self) {
        if let Some(platform) = self.platform {
            platform.shut_down().await;
        }
    }
}
