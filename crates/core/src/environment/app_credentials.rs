//! Applications' credentials, and the tokens issued for them.

use super::{Environment, McpIssuer};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result,
    access::{self, IssuedToken},
    caller::Caller,
};

impl Environment {
    /// Exchanges a client ID and secret for a bearer token (RFC 6749, 4.4). `scope` asks for some of the credential's
    /// scopes, separated by spaces. Without it, the token gets all of them.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`] for an unknown ID or a wrong secret. [`ErrorKind::InvalidRequest`] for a scope
    /// that the credential doesn't have.
    pub async fn issue_access_token(
        &self,
        client_id: &str,
        client_secret: &str,
        scope: Option<&str>,
    ) -> Result<IssuedToken> {
        access::issue_access_token(&self.0, client_id, client_secret, scope).await
    }

    /// The caller to whom a bearer token belongs. A revocation takes effect within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn authenticate(&self, bearer: &str) -> Result<Caller> {
        access::authenticate(&self.0, bearer).await
    }

    /// The same for an agent at `/mcp`. Its token is from an MCP session, or a JWT of the [`McpIssuer`]. If the
    /// issuer withdraws a key, Stead accepts it for an hour at most, or for a day if the issuer doesn't respond.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], [`ErrorKind::IssuerUnavailable`]. [`ErrorKind::InsufficientScope`] for a JWT
    /// without the required scope.
    pub async fn authenticate_agent(&self, bearer: &str) -> Result<Caller> {
        access::authenticate_agent(&self.0, bearer).await
    }

    /// The issuer whose JWTs agents may use at `/mcp`, if there is one.
    pub fn mcp_issuer(&self) -> Option<&McpIssuer> {
        let issuer = self.0.issuers.mcp.as_ref();
        issuer.map(|issuer| &issuer.options)
    }
}
