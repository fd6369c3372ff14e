//! Where a command's work happens: at a running service, in the database of this machine, or in a stack of service and
//! sandbox that this process starts.

mod database;
mod stack;

pub(crate) use database::Database;
pub(crate) use stack::{AppCredential, CONNECTION, SANDBOX_USER, Stack, USER, with_storage};

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use stead::{Actions, Client, Platform, core::environment::Verification};

use crate::{
    failure::{Failure, Outcome},
    secrets,
};

/// A running service, or else the database.
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
    /// URL of a running service; without it, the database is used.
    #[arg(long, env = "STEAD_URL", value_name = "URL")]
    url: Option<String>,
    /// The application's client id at the service.
    #[arg(long, env = "STEAD_CLIENT_ID", value_name = "ID")]
    client_id: Option<String>,
    /// The application's client secret at the service; better given as the environment variable.
    #[arg(long, env = "STEAD_CLIENT_SECRET", value_name = "SECRET", hide_env_values = true, value_parser = secrets::parse)]
    client_secret: Option<SecretString>,
}

/// Actions, and the platform behind them where it is in this process.
pub(crate) struct OpenTarget {
    pub(crate) actions: Actions,
    platform: Option<Platform>,
}

impl Target {
    /// Opens it for calls.
    pub(crate) async fn open(&self) -> Outcome<OpenTarget> {
        match self.service.client()? {
            Some(open) => Ok(open),
            None => Ok(OpenTarget::over(self.database.open_without_links().await?)),
        }
    }

    /// Opens it for links. A service decides itself who confirms them; the database is opened with this decision.
    pub(crate) async fn open_for_links(&self, verification: Verification) -> Outcome<OpenTarget> {
        match self.service.client()? {
            Some(open) => Ok(open),
            None => Ok(OpenTarget::over(self.database.open(verification).await?)),
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
                "a service asks for the application's credentials",
                "Give --client-id and the environment variable STEAD_CLIENT_SECRET; `stead credentials create` makes them.",
            ));
        };
        let client = Client::new(url, id.clone(), secret.expose_secret())?;
        Ok(Some(OpenTarget {
            actions: client.actions(),
            platform: None,
        }))
    }
}

impl OpenTarget {
    fn over(platform: Platform) -> Self {
        Self {
            actions: platform.actions(),
            platform: Some(platform),
        }
    }

    /// Waits for what is still being written.
    pub(crate) async fn close(self) {
        if let Some(platform) = self.platform {
            platform.shut_down().await;
        }
    }
}
