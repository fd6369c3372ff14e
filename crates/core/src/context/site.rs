//! The addresses of this environment, and where its links can lead.

use url::Url;

use super::{Verification, endpoints::is_loopback};
use crate::{Error, ErrorKind, Result, error::Violation, identifier::ConnectionId};

/// The addresses of this environment, and where its links can lead.
pub(crate) struct Site {
    pub(crate) public_url: Url,
    /// The proxy host, if there is one.
    pub(crate) proxy_url: Option<Url>,
    pub(crate) verification: Verification,
    /// Origins that links can redirect the browser to. Empty allows any.
    pub(super) verify_origins: Vec<url::Origin>,
    /// Default URL that links redirect the browser to.
    pub(crate) verify_url: Option<String>,
}

impl Site {
    /// The redirect URI of a connection, exactly as registered at the product.
    pub(crate) fn redirect_uri(&self, connection: ConnectionId) -> String {
        self.at(&format!("/sso/v1/oauth/{connection}/callback"))
    }

    /// A URL of this environment.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.public_url.as_str().trim_end_matches('/'))
    }

    /// The URL that a link redirects to: the given one if it's allowed, or the default if none is given.
    pub(crate) fn checked_verify_url(&self, given: Option<&str>) -> Result<Option<String>> {
        let Some(given) = given.or(self.verify_url.as_deref()) else {
            return match self.verification {
                Verification::LinkPossession => Ok(None),
                Verification::Application => Err(Error::invalid(vec![Violation::new(
                    "/verify_url",
                    "required",
                    "verify_url is required: the user's browser returns there, and your application confirms who it was. \
                     The operator can set one for all links (STEAD_VERIFY_URL), or turn this off (--trust-whoever-has-the-link)",
                )])),
            };
        };
        let wrong = || {
            Error::invalid_at(
                "/verify_url",
                "verify_url must be an https URL without a user or fragment (http only for this machine)",
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
                "this environment doesn't allow the origin of verify_url; the operator can add it to STEAD_VERIFY_ORIGINS",
            ));
        }
        Ok(Some(url.into()))
    }

    /// Fails if the default isn't allowed.
    pub(super) fn check_default_verify_url(&self) -> Result<()> {
        match self.verify_url {
            Some(_) => self.check_verify_setting("the default verify_url", None),
            None => Ok(()),
        }
    }

    /// Fails if a setting's URL isn't allowed. The message names the setting.
    pub(super) fn check_verify_setting(&self, setting: &str, given: Option<&str>) -> Result<()> {
        self.checked_verify_url(given).map(drop).map_err(|error| {
            let violation = error.violation_list().first();
            let why = violation.map_or(error.message(), |violation| violation.message.as_str());
            Error::new(ErrorKind::InvalidRequest, format!("{setting}: {why}"))
        })
    }
}
