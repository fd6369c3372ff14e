//! A link that you configure and then create.

use std::{fmt, future::IntoFuture, time::Duration};

use stead_core::{
    Result,
    ports::BoxFuture,
    resource::{AuthorizationLink, NewAuthorizationLink},
};

use crate::backend::Backend;

/// A link for a user to open. Await it to create the link.
///
/// ```
/// # async fn example(stead: stead::Stead) -> stead::Result<()> {
/// use std::time::Duration;
///
/// let link = stead
///     .account("mail", "user-42")?
///     .authorize()
///     .verify_url("https://app.example.com/connected")
///     .state("settings-page")
///     .expires_in(Duration::from_secs(3_600))
///     .await?;
/// println!("Show this to user-42 only: {}", link.link);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ErrorKind::UnknownConnection`](crate::ErrorKind::UnknownConnection),
/// [`ErrorKind::ConnectionNotReady`](crate::ErrorKind::ConnectionNotReady),
/// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest). By default, a [`verify_url`](Self::verify_url) is
/// required. An environment for trials can do without it, with `Verification::LinkPossession`.
#[must_use = "a link is made when it is awaited"]
pub struct Authorize {
    backend: Backend,
    new: NewAuthorizationLink,
}

impl Authorize {
    pub(crate) fn new(backend: Backend, new: NewAuthorizationLink) -> Self {
        Self { backend, new }
    }
    /// The URL to which the user's browser returns, with `authorization_id` and `state` in its query. There, your
    /// application confirms who is signed in, with [`Authorizations::verify`](crate::Authorizations::verify).
    pub fn verify_url(mut self, url: impl Into<String>) -> Self {
        self.new.verify_url = Some(url.into());
        self
    }
    /// Stead passes this to the `verify_url` unchanged. At most 500 characters.
    pub fn state(mut self, state: impl Into<String>) -> Self {
        self.new.state = Some(state.into());
        self
    }
    /// Scopes to ask for instead of the connection's permissions. Scopes that the user has granted before are always
    /// included.
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.new.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }
    /// How long the link works, in whole seconds: a minute to a day, ten minutes by default.
    pub fn expires_in(mut self, life: Duration) -> Self {
        self.new.expires_in = Some(u32::try_from(life.as_secs()).unwrap_or(u32::MAX));
        self
    }
    /// Lets the user connect another account of the product instead of the current one.
    pub fn allow_account_switch(mut self, allow: bool) -> Self {
        self.new.allow_account_switch = Some(allow);
        self
    }
}

impl IntoFuture for Authorize {
    type Output = Result<AuthorizationLink>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.backend.send(self.new).await })
    }
}

impl fmt::Debug for Authorize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorize")
            .field("connection_name", &self.new.connection_name)
            .field("identifier", &self.new.identifier)
            .finish_non_exhaustive()
    }
}
