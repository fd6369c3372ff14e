//! The authorizations of users who came back from a product.

use std::fmt;

use stead_core::{
    Result,
    resource::{
        Account, Authorization, NewAuthorizationLink, ReadAuthorization, VerifyAuthorization,
    },
};

use super::authorize::Authorize;
use crate::backend::Backend;

/// Authorizations: attempts to connect an account.
///
/// ```
/// # async fn example(stead: stead::Stead, authorization_id: &str) -> stead::Result<()> {
/// // The browser is back at your `verify_url`, and your session says that user-42 is signed in.
/// let account = stead.authorizations().verify(authorization_id, "user-42").await?;
/// println!("Connected as {}", account.product_user.unwrap_or_default());
///
/// // A page that waits for the user can ask how far it is.
/// let authorization = stead.authorizations().read(authorization_id).await?;
/// println!("{:?}", authorization.state);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Authorizations(Backend);

impl Authorizations {
    pub(crate) fn new(backend: Backend) -> Self {
        Self(backend)
    }

    /// Creates a link from an error's request ([`Error::authorization_request`](crate::Error::authorization_request)),
    /// or from all its options.
    pub fn link(&self, new: impl Into<NewAuthorizationLink>) -> Authorize {
        Authorize::new(self.0.clone(), new.into())
    }

    /// The progress of an attempt to connect an account, and why it failed. Use it for a page that waits for the user.
    ///
    /// # Errors
    /// [`ErrorKind::AuthorizationNotFound`](crate::ErrorKind::AuthorizationNotFound). You can read it for 7 days after
    /// it ends.
    pub async fn read(&self, authorization_id: &str) -> Result<Authorization> {
        self.0.send(ReadAuthorization::new(authorization_id)).await
    }

    /// Confirms that `identifier`, the user who is signed in at your application, is the user who came back. The
    /// account becomes active. If you repeat the call, it returns the account again.
    ///
    /// # Errors
    /// [`ErrorKind::AuthorizationNotFound`](crate::ErrorKind::AuthorizationNotFound) if no confirmation is pending,
    /// [`ErrorKind::AuthorizationExpired`](crate::ErrorKind::AuthorizationExpired).
    /// [`ErrorKind::IdentifierMismatch`](crate::ErrorKind::IdentifierMismatch), which also ends the authorization.
    pub async fn verify(&self, authorization_id: &str, identifier: &str) -> Result<Account> {
        let verify = VerifyAuthorization::new(authorization_id, identifier);
        self.0.send(verify).await
    }
}

impl fmt::Debug for Authorizations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorizations").finish_non_exhaustive()
    }
}
