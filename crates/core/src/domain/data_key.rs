//! A data key, as it is stored.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{identifier::DataKeyId, sealed::Sealed};

/// A data key, wrapped by a key of the ring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataKey {
    /// Id; primary key.
    pub id: DataKeyId,
    /// Key of the ring that wraps it.
    pub ring_key: String,
    /// The wrapped key.
    pub wrapped: Sealed,
    /// When it was made.
    pub created_at: Timestamp,
}
