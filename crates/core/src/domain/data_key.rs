//! A data key, as it is stored.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{identifier::DataKeyId, sealed::Sealed};

/// A data key, wrapped by a key of the ring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DataKey {
    /// Id; primary key.
    pub(crate) id: DataKeyId,
    /// Key of the ring that wraps it.
    pub(crate) ring_key: String,
    /// The wrapped key.
    pub(crate) wrapped: Sealed,
    /// When it was made.
    pub(crate) created_at: Timestamp,
}
