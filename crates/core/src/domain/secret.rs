//! A secret that Stead generates, in stored form.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Extra;
use crate::sealed::{Sealed, place};

/// A secret of the deployment, which all of its processes share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Secret {
    /// Its purpose; primary key.
    pub(crate) name: String,
    /// The secret.
    pub(crate) sealed: Sealed<place::DeploymentSecret>,
    /// When it was created.
    pub(crate) created_at: Timestamp,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}
