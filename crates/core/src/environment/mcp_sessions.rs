//! MCP sessions of an environment.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
pub use crate::access::mcp_sessions::{McpConnection, McpOffer, RequestState};
use crate::{Result, access, identifier::AuthorizationId, oauth, resource::AuthorizationLink};

impl Environment {
    /// The connections of the caller's session that can be used, by name.
    ///
    /// # Errors
    /// [`ErrorKind::InsufficientScope`] for a caller that is not an MCP session.
    pub async fn mcp_connections(&self) -> Result<Vec<McpConnection>> {
        access::mcp_sessions::usable_connections(&self.0).await
    }

    /// What the caller's session has: connections, and the tools that it may call.
    ///
    /// # Errors
    /// [`ErrorKind::InsufficientScope`] for a caller that is not an MCP session.
    pub async fn mcp_offer(&self) -> Result<McpOffer<'_>> {
        access::mcp_sessions::offer(&self.0).await
    }

    /// Makes a link for the user of the caller's session, with these scopes or those of the connection.
    ///
    /// # Errors
    /// As [`NewAuthorizationLink`](crate::resource::NewAuthorizationLink); [`ErrorKind::InsufficientScope`] where the maker of the session may
    /// not make links.
    pub async fn create_mcp_link(
        &self,
        connection_name: &str,
        scopes: Option<Vec<String>>,
    ) -> Result<AuthorizationLink> {
        let new = access::mcp_sessions::new_link(&self.0, connection_name, scopes)?;
        oauth::links::create(&self.0, new).await
    }

    /// Seals for the caller's session what its client carries from one try of a call to the next, for 15 minutes. `call` is
    /// a digest of the tool and its arguments.
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

    /// Opens it again.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] where it was changed, is of another session, or is too old.
    pub async fn open_request_state(&self, sealed: &str) -> Result<RequestState> {
        access::mcp_sessions::open_state(&self.0, sealed).await
    }
}
