//! The OpenID Connect provider by which members sign in, where the operator has one: how it is set up, and what it says
//! about itself.

use std::{sync::Arc, time::Duration};

use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Mutex;

use super::{
    Context,
    endpoints::{base_url, is_loopback},
};
use crate::{Error, ErrorKind, Result, domain::member::read_email, state::Role};

/// What a provider says about itself is read again after so long.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// A provider that could not be read is not asked again for so long.
const KEPT_FAILURE: Duration = Duration::from_secs(5);

/// An OpenID Connect provider by which members sign in to the dashboard, and whom of those that it knows are let in.
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
    /// A provider by its issuer, exactly as it names itself, and the client that is registered there. Someone is let in
    /// once [`allowed_emails`](Self::allowed_emails) or [`required_claim`](Self::required_claim) says who.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] where the issuer is not an https URL (plain http for this machine only), or the client
    /// has no id or no secret.
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

    /// Lets in whoever has one of these e-mail addresses, which the provider has to call verified.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] where one is not an e-mail address.
    pub fn allowed_emails<S: AsRef<str>>(
        mut self,
        emails: impl IntoIterator<Item = S>,
    ) -> Result<Self> {
        for email in emails {
            let given = email.as_ref();
            let read = read_email(given);
            let email =
                read.map_err(|_| refused(&format!("{given:?} isn't an email address")))?;
            self.allowed_emails.push(email);
        }
        Ok(self)
    }

    /// Lets in whoever has this claim in the ID token: a text, a number or a boolean of this value, or a list that holds it.
    /// Together with [`allowed_emails`](Self::allowed_emails) both have to be so.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] where the name or the value is empty.
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

    /// The role of whoever signs in for the first time and is not a member yet; [`Role::Viewer`] unless told.
    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Members sign in at the provider only: passwords are refused, and sessions that were opened with one end. Who leaves
    /// the provider then has no other way in.
    #[must_use]
    pub fn only(mut self) -> Self {
        self.only = true;
        self
    }

    /// The provider's name for people, on the button; the issuer's host unless told.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] where it is empty, has more than 60 characters, or control characters.
    pub fn name(mut self, name: &str) -> Result<Self> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > 60 || name.chars().any(char::is_control) {
            return Err(refused("the name has 1 to 60 characters on one line"));
        }
        name.clone_into(&mut self.name);
        Ok(self)
    }

    /// The issuer's host, which may have a private address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Refuses a provider that lets everyone in whom it knows: at a public one, that is everyone.
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
    /// Whether members may sign in with a password.
    pub(crate) fn takes_passwords(&self) -> bool {
        let provider = self.sign_in_provider.as_ref();
        !provider.is_some_and(|provider| provider.options.only)
    }

    /// Refuses a password where members sign in at the provider only.
    pub(crate) fn check_passwords(&self) -> Result<()> {
        match self.sign_in_provider.as_ref() {
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

/// What a provider says about itself.
#[derive(Debug)]
pub(crate) struct ProviderEndpoints {
    /// Where people sign in.
    pub(crate) authorize: String,
    /// Where a code is exchanged.
    pub(crate) token: String,
    /// Whether the client's secret is taken in the body of the token request only.
    pub(crate) secret_in_body: bool,
    /// Whether every callback names the issuer (RFC 9207).
    pub(crate) names_itself: bool,
}

/// A provider, and what it said last about itself.
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

    /// What it said about itself within the last hour, or now; those who want to know at once wait for one reading.
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
