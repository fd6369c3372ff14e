//! The OpenID Connect provider that members sign in with: its configuration and its metadata.

use std::{sync::Arc, time::Duration};

use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Mutex;

use super::{
    Context,
    endpoints::{base_url, is_loopback},
};
use crate::{Error, ErrorKind, Result, domain::member::read_email, state::Role};

/// Time after which Stead reads a provider's metadata again.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// Time before Stead retries a provider whose metadata couldn't be read.
const KEPT_FAILURE: Duration = Duration::from_secs(5);

/// An OpenID Connect provider that members sign in to the dashboard with, and who can sign in.
///
/// ```
/// # use stead_core::environment::SignInProvider;
/// # use stead_core::resource::Role;
/// # fn run() -> stead_core::Result<()> {
/// let provider = SignInProvider::new("https://login.example.com", "stead", "client secret".into())?
///     .required_claim("groups", "stead")?
///     .role(Role::Operator);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct SignInProvider {
    pub(crate) issuer: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: SecretString,
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) allowed_emails: Vec<String>,
    pub(crate) required_claim: Option<(String, String)>,
    pub(crate) only: bool,
    host: String,
}

impl SignInProvider {
    /// A provider with its exact issuer and the client that you registered there. Set
    /// [`allowed_emails`](Self::allowed_emails) or [`required_claim`](Self::required_claim) to say who can sign in.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if the issuer isn't an https URL (plain http only for this machine), or the client
    /// has no ID or secret.
    pub fn new(
        issuer: &str,
        client_id: impl Into<String>,
        client_secret: SecretString,
    ) -> Result<Self> {
        let url = base_url(issuer, "the issuer")?;
        if url.scheme() == "http" && !is_loopback(&url) {
            return Err(refused(
                "the issuer must start with https://; http:// is allowed only for this machine",
            ));
        }
        let client_id = client_id.into();
        if client_id.is_empty() {
            return Err(refused("the client id is empty"));
        }
        if client_secret.expose_secret().is_empty() {
            return Err(refused("the client secret is empty"));
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        Ok(Self {
            issuer: issuer.to_owned(),
            client_id,
            client_secret,
            name: host.clone(),
            role: Role::Viewer,
            allowed_emails: Vec::new(),
            required_claim: None,
            only: false,
            host,
        })
    }

    /// Allows people with one of these email addresses. The provider needs to mark the address as verified.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if one isn't an email address.
    pub fn allowed_emails<S: AsRef<str>>(
        mut self,
        emails: impl IntoIterator<Item = S>,
    ) -> Result<Self> {
        for email in emails {
            let given = email.as_ref();
            let read = read_email(given);
            let email = read.map_err(|_| refused(&format!("{given:?} isn't an email address")))?;
            self.allowed_emails.push(email);
        }
        Ok(self)
    }

    /// Allows people whose ID token has this claim: a string, number or boolean with this value, or a list that
    /// contains it. With [`allowed_emails`](Self::allowed_emails), both conditions have to match.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if the name or the value is empty.
    pub fn required_claim(
        mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self> {
        let (name, value) = (name.into(), value.into());
        if name.is_empty() || value.is_empty() {
            return Err(refused("a required claim needs a name and a value"));
        }
        self.required_claim = Some((name, value));
        Ok(self)
    }

    /// Role of a person who signs in for the first time and isn't a member yet. Defaults to [`Role::Viewer`].
    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Members can sign in only at the provider. Stead rejects passwords and ends sessions that were opened with one. A
    /// person who leaves the provider can then no longer sign in.
    #[must_use]
    pub fn only(mut self) -> Self {
        self.only = true;
        self
    }

    /// The provider's name on the sign-in button. Defaults to the issuer's host.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if it is empty, has more than 60 characters or has control characters.
    pub fn name(mut self, name: &str) -> Result<Self> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > 60 || name.chars().any(char::is_control) {
            return Err(refused("the name has 1 to 60 characters on one line"));
        }
        name.clone_into(&mut self.name);
        Ok(self)
    }

    /// The issuer's host, which can have a private address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Rejects a provider without conditions. At a public provider, anyone could sign in.
    pub(super) fn check(&self) -> Result<()> {
        if self.allowed_emails.is_empty() && self.required_claim.is_none() {
            return Err(refused(
                "anyone with an account at your OpenID Connect provider could sign in; set allowed email addresses or a required claim",
            ));
        }
        Ok(())
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::InvalidRequest, why)
}

impl Context {
    /// Whether members can sign in with a password.
    pub(crate) fn takes_passwords(&self) -> bool {
        let provider = self.issuers.sign_in.as_ref();
        !provider.is_some_and(|provider| provider.options.only)
    }

    /// Rejects a password if members can sign in only at the provider.
    pub(crate) fn check_passwords(&self) -> Result<()> {
        match self.issuers.sign_in.as_ref() {
            Some(provider) if provider.options.only => Err(Error::new(
                ErrorKind::SignInRefused,
                format!(
                    "you can't sign in with a password here; sign in with {}",
                    provider.options.name
                ),
            )),
            _ => Ok(()),
        }
    }
}

/// A provider's metadata.
#[derive(Debug)]
pub(crate) struct ProviderEndpoints {
    /// URL where people sign in.
    pub(crate) authorize: String,
    /// URL where Stead exchanges a code.
    pub(crate) token: String,
    /// Whether the provider accepts the client's secret only in the body of the token request.
    pub(crate) secret_in_body: bool,
    /// Whether every callback names the issuer (RFC 9207).
    pub(crate) names_itself: bool,
}

/// A provider with its last known metadata.
#[derive(Debug)]
pub(crate) struct KnownProvider {
    pub(crate) options: SignInProvider,
    endpoints: Mutex<Option<Read>>,
}

#[derive(Debug)]
struct Read {
    at: Duration,
    result: Result<Arc<ProviderEndpoints>>,
}

impl KnownProvider {
    pub(super) fn new(options: SignInProvider) -> Result<Self> {
        options.check()?;
        Ok(Self {
            options,
            endpoints: Mutex::default(),
        })
    }

    /// Metadata that is at most one hour old. Concurrent callers share one request.
    pub(crate) async fn endpoints(
        &self,
        now: Duration,
        read: impl Future<Output = Result<ProviderEndpoints>> + Send,
    ) -> Result<Arc<ProviderEndpoints>> {
        let mut known = self.endpoints.lock().await;
        if let Some(last) = &*known {
            let kept = if last.result.is_ok() {
                KEPT
            } else {
                KEPT_FAILURE
            };
            if now.saturating_sub(last.at) < kept {
                return last.result.clone();
            }
        }
        let result = read.await.map(Arc::new);
        *known = Some(Read {
            at: now,
            result: result.clone(),
        });
        result
    }
}
