//! The URL to which links send the user's browser.

use super::{Environment, Verification};

impl Environment {
    /// The URL to which a link sends the user's browser if the link itself doesn't name one.
    pub fn verify_url(&self) -> Option<&str> {
        self.0.site.verify_url.as_deref()
    }
    /// Whether each link must name that URL: the application confirms its users, and there is no default.
    pub fn needs_verify_url(&self) -> bool {
        self.verification() == Verification::Application && self.verify_url().is_none()
    }
}
