//! The MCP session of the caller.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
pub use crate::access::mcp_sessions::{McpConnection, McpOffer, RequestState};
use crate::{Result, access, identifier::AuthorizationId, oauth, resource::AuthorizationLink};

impl Environment {
    /// The usable connections of the caller's session, by name.
    ///
    /// # Errors
    /// [`ErrorKind::InsufficientScope`] for a caller that is not an MCP session.
    pub async fn mcp_connections(&self) -> Result<Vec<McpConnection>> {
        access::mcp_sessions::usable_connections(&self.0).await
    }

    /// The connections of the caller's session, and the tools that it may call.
    ///
    /// # Errors
    /// [`ErrorKind::InsufficientScope`] for a caller that is not an MCP session.
    pub async fn mcp_offer(&self) -> Result<McpOffer<'_>> {
        access::mcp_sessions::offer(&self.0).await
    }

    /// Makes a link for the user of the caller's session, with these scopes or the connection's.
    ///
    /// # Errors
    /// As [`NewAuthorizationLink`](crate::resource::NewAuthorizationLink). [`ErrorKind::InsufficientScope`] if the
    /// creator of the session may not make links.
    pub async fn create_mcp_link(
        &self,
        connection_name: &str,
        scopes: Option<Vec<String>>,
    ) -> Result<AuthorizationLink> {
        let new = access::mcp_sessions::new_link(&self.0, connection_name, scopes)?;
        oauth::links::create(&self.0, new).await
    }

    /// Encrypts the state that the client of the caller's session carries from one attempt of a call to the next. It
    /// works for 15 minutes. `call` is a digest of the tool and its arguments.
    ///
    /// # Errors
    /// [`ErrorKind::InsufficientScope`] for a caller that is not an MCP session, [`ErrorKind::KeyUnavailable`].
    pub fn seal_request_state(
        &self,
        authorization_id: AuthorizationId,
        call: String,
    ) -> Result<String> {
        access::mcp_sessions::seal_state(&self.0, authorization_id, call)
    }

    /// Decrypts this state.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if it was changed, belongs to another session, or is too old.
    pub async fn open_request_state(&self, sealed: &str) -> Result<RequestState> {
        access::mcp_sessions::open_state(&self.0, sealed).await
    }
}
