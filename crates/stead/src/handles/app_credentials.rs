//! The credentials with which applications authenticate to a service.

use std::{fmt, sync::Arc};

#[cfg(doc)]
use stead_core::ErrorKind;
use stead_core::{
    Result,
    resource::{
        AppCredential, AppCredentialChange, IssuedAppSecret, NewAppCredential, SecretRotation,
    },
};

use super::{backend::Shared, list::List};

/// Credentials of applications: client ids with their secrets, and what each may do.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// # use stead::{Platform, resource::{NewAppCredential, SecretRotation}};
/// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// let credentials = platform.app_credentials();
/// let agent = NewAppCredential::new("agent").scopes(["tools:execute:mail"]).rate_per_minute(600);
/// let agent = credentials.create(agent).await?;
/// let id = &agent.credential.client_id;
///
/// // Another secret; the first one serves for a day more.
/// let rotated = credentials.rotate(id, SecretRotation::default()).await?;
/// assert_eq!(rotated.credential.secrets.len(), 2);
/// credentials.revoke_secret(id, &agent.secret_id).await?;
/// credentials.revoke(id).await?;
/// assert!(credentials.list().all().await?.is_empty());
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct AppCredentials(Shared);

impl AppCredentials {
    pub(crate) fn new(backend: Shared) -> Self {
        Self(backend)
    }

    /// Makes a credential with its first secret, which is shown only here.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with the places, [`ErrorKind::InsufficientScope`] for a scope that the caller's own
    /// credential does not have.
    pub async fn create(&self, new: NewAppCredential) -> Result<IssuedAppSecret> {
        self.0.create_app_credential(new).await
    }

    /// All credentials, in the order of their creation.
    pub fn list(&self) -> List<AppCredential> {
        let backend = Arc::clone(&self.0);
        List::new(move |paging| {
            let backend = Arc::clone(&backend);
            Box::pin(async move { backend.app_credentials(paging).await })
        })
    }

    /// One credential.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn read(&self, client_id: &str) -> Result<AppCredential> {
        self.0.app_credential(client_id).await
    }

    /// Changes a credential's name, scopes and rate.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidRequest`] with the places, [`ErrorKind::InsufficientScope`].
    pub async fn change(
        &self,
        client_id: &str,
        change: AppCredentialChange,
    ) -> Result<AppCredential> {
        self.0.change_app_credential(client_id, change).await
    }

    /// Gives a credential another secret, which is shown only here. The present one ends later, with the tokens made with
    /// it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] where there are two secrets already,
    /// [`ErrorKind::InsufficientScope`].
    pub async fn rotate(
        &self,
        client_id: &str,
        rotation: SecretRotation,
    ) -> Result<IssuedAppSecret> {
        self.0.rotate_app_credential(client_id, rotation).await
    }

    /// Ends one of two secrets, with the tokens made with it, within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] for the only secret.
    pub async fn revoke_secret(&self, client_id: &str, secret_id: &str) -> Result<AppCredential> {
        self.0.revoke_app_secret(client_id, secret_id).await
    }

    /// Revokes a credential, with its secrets and tokens, within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn revoke(&self, client_id: &str) -> Result<()> {
        self.0.revoke_app_credential(client_id).await
    }
}

impl fmt::Debug for AppCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppCredentials").finish_non_exhaustive()
    }
}
