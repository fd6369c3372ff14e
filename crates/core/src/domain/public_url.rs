//! The public URL under which redirect URIs were handed out.

use serde::{Deserialize, Serialize};

use super::Extra;

/// The public URL that the redirect URIs at the products begin with. There is one at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownPublicUrl {
    /// Without a slash at its end.
    pub(crate) url: String,
    /// What else its stored body holds.
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
