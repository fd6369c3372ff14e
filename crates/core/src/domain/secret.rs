//! A secret that Stead makes for itself, as it is stored.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Extra;
use crate::sealed::Sealed;

/// A secret of the deployment, which all of its processes share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Secret {
    /// What it is for; primary key.
    pub(crate) name: String,
    /// The secret.
    pub(crate) sealed: Sealed,
    /// When it was made.
    pub(crate) created_at: Timestamp,
    /// What else its stored body holds.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}
