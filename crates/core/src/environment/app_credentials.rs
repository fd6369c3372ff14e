//! Credentials of applications, and the tokens made with them.

use super::{Environment, McpIssuer};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result,
    access::{self, IssuedToken},
    caller::Caller,
    resource::{
        AppCredential, AppCredentialChange, IssuedAppSecret, NewAppCredential, Page, SecretRotation,
    },
};

impl Environment {
    /// Makes a credential of an application, with its first secret. A caller with scopes gives none that it does not have.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a name that is empty, longer than 100 characters, or holds control characters,
    /// and for scopes that there are not; [`ErrorKind::InsufficientScope`].
    pub async fn create_app_credential(&self, new: NewAppCredential) -> Result<IssuedAppSecret> {
        access::create(&self.0, new).await
    }

    /// Credentials of applications, in the order of their creation.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn app_credentials(
        &self,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<AppCredential>> {
        access::list(&self.0, page_token, page_size).await
    }

    /// A credential of an application.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn app_credential(&self, client_id: &str) -> Result<AppCredential> {
        access::read(&self.0, client_id).await
    }

    /// Changes a credential's name, scopes and rate; tokens made with it follow within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidRequest`]; [`ErrorKind::InsufficientScope`] for a credential that may
    /// do more than the caller.
    pub async fn change_app_credential(
        &self,
        client_id: &str,
        change: AppCredentialChange,
    ) -> Result<AppCredential> {
        access::change(&self.0, client_id, change).await
    }

    /// Gives a credential another secret. The present one ends later, with the tokens made with it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`]; [`ErrorKind::InvalidTransition`] where the credential has two secrets already;
    /// [`ErrorKind::InsufficientScope`] for a credential that may do more than the caller.
    pub async fn rotate_app_credential(
        &self,
        client_id: &str,
        rotation: SecretRotation,
    ) -> Result<IssuedAppSecret> {
        access::rotate(&self.0, client_id, rotation).await
    }

    /// Ends one of a credential's two secrets, with the tokens made with it: in this process at once, in others within
    /// 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`]; [`ErrorKind::InvalidTransition`] for the only secret.
    pub async fn revoke_app_secret(
        &self,
        client_id: &str,
        secret_id: &str,
    ) -> Result<AppCredential> {
        access::revoke_secret(&self.0, client_id, secret_id).await
    }

    /// Revokes a credential, with its secrets and tokens: in this process at once, in others within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn revoke_app_credential(&self, client_id: &str) -> Result<()> {
        access::delete(&self.0, client_id).await
    }

    /// Exchanges a client id and secret for a bearer token (RFC 6749, 4.4). `scope` asks for some of the credential's
    /// scopes, with spaces between them; all where it is absent.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], the same for an unknown id and a wrong secret; [`ErrorKind::InvalidRequest`] for a
    /// scope that the credential does not have.
    pub async fn issue_access_token(
        &self,
        client_id: &str,
        client_secret: &str,
        scope: Option<&str>,
    ) -> Result<IssuedToken> {
        access::issue_access_token(&self.0, client_id, client_secret, scope).await
    }

    /// Whose bearer token it is. A revocation acts within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn authenticate(&self, bearer: &str) -> Result<Caller> {
        access::authenticate(&self.0, bearer).await
    }

    /// The same of an agent at `/mcp`: the token of an MCP session, or a JWT of [`McpIssuer`] where there is
    /// one. Keys that the issuer withdraws are accepted for an hour at most; for a day while it does not respond.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], [`ErrorKind::InsufficientScope`] for a JWT without the scope that it needs,
    /// [`ErrorKind::IssuerUnavailable`].
    pub async fn authenticate_agent(&self, bearer: &str) -> Result<Caller> {
        access::authenticate_agent(&self.0, bearer).await
    }

    /// The issuer whose JWTs agents may use at `/mcp`, where there is one.
    pub fn mcp_issuer(&self) -> Option<&McpIssuer> {
        let issuer = self.0.mcp_issuer.as_ref();
        issuer.map(|issuer| &issuer.options)
    }
}
