//! Where links may send the browser back.

use url::Url;

use super::{Context, Verification, endpoints::is_loopback};
use crate::{Error, Result, error::Violation};

impl Context {
    /// The place to which a link sends the browser back, where it may be one.
    pub(crate) fn checked_verify_url(&self, given: Option<&str>) -> Result<Option<String>> {
        let Some(given) = given else {
            return match self.verification {
                Verification::LinkPossession => Ok(None),
                Verification::Application => Err(Error::invalid(vec![Violation::new(
                    "/verify_url",
                    "required",
                    "verify_url is required: the user's browser returns there, and your application confirms who it was (an operator turns this off with --trust-whoever-has-the-link)",
                )])),
            };
        };
        let wrong = || {
            Error::invalid_at(
                "/verify_url",
                "verify_url is an https URL without user and fragment (http for this machine only)",
            )
        };
        let url = Url::parse(given).map_err(|_| wrong())?;
        let safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url));
        if !safe
            || url.host().is_none()
            || !url.username().is_empty()
            || url.password().is_some()
            || url.fragment().is_some()
        {
            return Err(wrong());
        }
        let allowed = &self.verify_origins;
        let is_own = url.origin() == self.public_url.origin();
        if !allowed.is_empty() && !allowed.contains(&url.origin()) && !is_own {
            return Err(Error::invalid_at(
                "/verify_url",
                "the operator of this environment does not allow the origin of verify_url (STEAD_VERIFY_ORIGINS)",
            ));
        }
        Ok(Some(url.into()))
    }
}
