//! Credentials of applications, and the tokens made with them.

use super::{Environment, McpIssuer};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result,
    access::{self, IssuedToken},
    caller::Caller,
};

impl Environment {
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
