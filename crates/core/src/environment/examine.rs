//! How an environment is.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result,
    maintenance::{self, Examination},
};

impl Environment {
    /// Looks at connections, accounts, the outbox and clocks, and asks every authorization and token endpoint, and each of
    /// `others`, whether it answers. No credentials are sent, and nothing is changed.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn examine(&self, others: &[String]) -> Result<Examination> {
        maintenance::examine(&self.0, others).await
    }
}
