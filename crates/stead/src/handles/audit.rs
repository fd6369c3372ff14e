//! The audit log.

use std::{fmt, sync::Arc};

use stead_core::{
    Result,
    resource::{AuditEntry, AuditFilter, AuditHead, AuditVerification},
};

use super::{backend::Shared, list::List};

/// The audit log: who changed what, as a chain of hashes.
#[derive(Clone)]
pub struct Audit(Shared);

impl Audit {
    pub(crate) fn new(backend: Shared) -> Self {
        Self(backend)
    }

    /// Entries, the newest first: of connections, of the state of accounts, of credentials, keys and webhooks.
    pub fn list(&self, filter: AuditFilter) -> List<AuditEntry> {
        let backend = Arc::clone(&self.0);
        List::new(move |paging| {
            let (backend, filter) = (Arc::clone(&backend), filter.clone());
            Box::pin(async move { backend.audit_entries(filter, paging).await })
        })
    }

    /// Reads the whole log, and names the first entry that does not fit. That the end of the log was cut off shows only
    /// to whoever has kept the head of an earlier verification elsewhere: `expect` is that head.
    ///
    /// ```
    /// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> stead::Result<()> {
    /// # use stead::{NewConnection, Platform};
    /// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
    /// platform.connections().create(NewConnection::new("mail", "mail")).await?;
    /// let found = platform.audit().verify(None).await?;
    /// assert!(found.fault.is_none());
    /// let again = platform.audit().verify(found.head).await?;
    /// assert!(again.fault.is_none());
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`](crate::ErrorKind::StorageUnavailable). A log that was tampered with is not an
    /// error but the result.
    pub async fn verify(&self, expect: Option<AuditHead>) -> Result<AuditVerification> {
        self.0.verify_audit(expect).await
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").finish_non_exhaustive()
    }
}
