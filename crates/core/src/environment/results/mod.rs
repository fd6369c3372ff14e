//! What the results of an environment have left out.

use super::Environment;
#[cfg(doc)]
use crate::{ErrorKind, resource::Execution};
use crate::{Result, call, resource::ResultFile};

impl Environment {
    /// Reads what a result has only in part, by its handle in [`Execution::left_out`]: the call is made again as its user,
    /// admitted and recorded as any other, and nothing of it is stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a handle that has ended, or is not one of this environment for what the caller may
    /// read; as [`Environment::execute`].
    pub async fn read_result(&self, handle: &str) -> Result<ResultFile> {
        call::read_result(&self.0, handle).await
    }
}

#[cfg(test)]
mod tests;
