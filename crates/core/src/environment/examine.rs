//! How an environment is.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, audit,
    maintenance::{self, Examination},
};

impl Environment {
    /// Looks at connections, accounts, the outbox, the audit log and clocks, and asks every authorization and token endpoint, and each of
    /// `others`, whether it answers. No credentials are sent, and nothing is changed.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn examine(&self, others: &[String]) -> Result<Examination> {
        let audit = audit::verify(&self.0, None).await?;
        maintenance::examine(&self.0, others, audit).await
    }
}
