//! The right to refresh one credential, so that one process at a time asks the product.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A right to refresh one credential, for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// Process and flight that hold it.
    pub(crate) owner: Uuid,
    /// Until when, by the store's time.
    pub(crate) until: Timestamp,
    /// Generation that is being refreshed.
    pub(crate) generation: u64,
}
