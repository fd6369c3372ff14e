//! How an environment is.

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
    /// Looks at connections, accounts, the outbox, the audit log and clocks, and asks every authorization and token endpoint, and each of
    /// `others`, whether it answers. No credentials are sent, and nothing is changed.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn examine(&self, others: &[String]) -> Result<Examination> {
        let audit = audit::verify(&self.0, VerifyAudit::new()).await?;
        maintenance::examine(&self.0, others, audit).await
    }

    /// Whether the public URL is another one than that under which redirect URIs were handed out, and what has to be registered
    /// again then. Changes nothing.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn moved_public_url(&self) -> Result<Option<MovedPublicUrl>> {
        public_url::moved(&self.0).await
    }

    /// The same, and keeps the public URL where nothing has to be registered again. Call it when a service starts.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn note_public_url(&self) -> Result<Option<MovedPublicUrl>> {
        public_url::note(&self.0).await
    }

    /// Keeps the public URL: the operator has registered the redirect URIs that begin with it.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn accept_public_url(&self) -> Result<()> {
        public_url::keep(&self.0).await
    }

    /// Asks the provider by which members sign in what it says about itself. Without a provider there is nothing to ask.
    ///
    /// # Errors
    /// [`ErrorKind::SignInProviderFailed`] if it cannot be reached, or its document cannot be used.
    pub async fn check_sign_in_provider(&self) -> Result<()> {
        oauth::sign_in::check(&self.0).await
    }
}
