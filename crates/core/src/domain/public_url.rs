//! The public URL that redirect URIs were handed out with.

use serde::{Deserialize, Serialize};

use super::Extra;

/// The public URL that the redirect URIs at the products start with. There is at most one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownPublicUrl {
    /// Without a slash at the end.
    pub(crate) url: String,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl KnownPublicUrl {
    pub(crate) fn new(url: String) -> Self {
        Self {
            url,
            extra: Extra::default(),
        }
    }
}
