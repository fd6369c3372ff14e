//! The parts that results have omitted.

use super::Environment;
#[cfg(doc)]
use crate::{ErrorKind, resource::Execution};
use crate::{Result, call, resource::ResultFile};

impl Environment {
    /// Reads a result that was returned only in part, by its handle in [`Execution::left_out`]. Stead doesn't store
    /// results, so it makes the call again as its user. That call is admitted and recorded like any other.
    ///
    /// # Errors
    /// As [`Environment::execute`]. [`ErrorKind::NotFound`] for a handle that has expired, is from another environment,
    /// or belongs to a call that the caller may not read.
    pub async fn read_result(&self, handle: &str) -> Result<ResultFile> {
        call::read_result(&self.0, handle).await
    }
}

#[cfg(test)]
mod tests;
