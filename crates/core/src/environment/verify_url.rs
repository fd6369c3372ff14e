//! Where links send the user's browser.

use super::{Environment, Verification};

impl Environment {
    /// Where a link sends the user's browser if whoever makes it does not say.
    pub fn verify_url(&self) -> Option<&str> {
        self.0.verify_url.as_deref()
    }
    /// Whether each link has to say where the user's browser goes: the application confirms its users, and there is no default.
    pub fn needs_verify_url(&self) -> bool {
        self.verification() == Verification::Application && self.verify_url().is_none()
    }
}
