//! Checks of an environment's health and of its public URL.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, audit,
    connections::public_url::{self, MovedPublicUrl},
    maintenance::{self, Examination},
    oauth,
    resource::VerifyAudit,
};

impl Environment {
    /// Checks connections, accounts, the outbox, the audit log and clocks. It also asks every authorization and token
    /// endpoint, and each of `others`, whether it answers. It sends no credentials and changes nothing.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn examine(&self, others: &[String]) -> Result<Examination> {
        let audit = audit::verify(&self.0, VerifyAudit::new()).await?;
        maintenance::examine(&self.0, others, audit).await
    }

    /// Returns the redirect URIs to register again if the public URL has changed since they were handed out. Changes
    /// nothing.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn moved_public_url(&self) -> Result<Option<MovedPublicUrl>> {
        public_url::moved(&self.0).await
    }

    /// The same, but it saves the public URL if nothing must be registered again. Call it when a service starts.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn note_public_url(&self) -> Result<Option<MovedPublicUrl>> {
        public_url::note(&self.0).await
    }

    /// Saves the public URL. Call it once the operator has registered the redirect URIs that begin with it.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn accept_public_url(&self) -> Result<()> {
        public_url::keep(&self.0).await
    }

    /// Reads the sign-in provider's metadata to check that it works. Does nothing if there's no provider.
    ///
    /// # Errors
    /// [`ErrorKind::SignInProviderFailed`] if the provider can't be reached, or its metadata can't be used.
    pub async fn check_sign_in_provider(&self) -> Result<()> {
        oauth::sign_in::check(&self.0).await
    }
}
