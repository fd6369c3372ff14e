//! Sessions of the Model Context Protocol: what an agent may hold that calls tools as one user.

use std::{fmt, sync::Arc};

#[cfg(doc)]
use stead_core::ErrorKind;
use stead_core::{
    Result,
    resource::{IssuedMcpSession, McpSession, NewMcpSession},
};

use super::{backend::Shared, list::List};

/// MCP sessions, each of one user. A service serves them at `/mcp`.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// # use stead::{NewConnection, Platform, resource::NewMcpSession};
/// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// # platform.connections().create(NewConnection::new("mail", "mail").client("id", "secret")).await?;
/// let sessions = platform.mcp_sessions();
/// let session = NewMcpSession::new("user-42").connections(["mail"]).read_only();
/// let session = session.verify_url("https://app.example.com/connected");
/// let made = sessions.create(session).await?;
/// println!("{} with the bearer token {:?}", made.url, made.token);
///
/// let id = made.session.session_id.to_string();
/// assert_eq!(sessions.of_user("user-42").all().await?.len(), 1);
/// sessions.end(&id).await?;
/// assert!(sessions.list().all().await?.is_empty());
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct McpSessions(Shared);

impl McpSessions {
    pub(crate) fn new(backend: Shared) -> Self {
        Self(backend)
    }

    /// Makes a session with its token, which is shown only here. The user need not have an account yet.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with the places, [`ErrorKind::UnknownConnection`].
    pub async fn create(&self, new: NewMcpSession) -> Result<IssuedMcpSession> {
        self.0.create_mcp_session(new).await
    }

    /// All sessions that live, in the order of their creation.
    pub fn list(&self) -> List<McpSession> {
        self.listed(None)
    }

    /// Those of a user.
    pub fn of_user(&self, identifier: impl Into<String>) -> List<McpSession> {
        self.listed(Some(identifier.into()))
    }

    fn listed(&self, identifier: Option<String>) -> List<McpSession> {
        let backend = Arc::clone(&self.0);
        List::new(move |paging| {
            let (backend, identifier) = (Arc::clone(&backend), identifier.clone());
            Box::pin(async move { backend.mcp_sessions(identifier, paging).await })
        })
    }

    /// A session that lives.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn read(&self, session_id: &str) -> Result<McpSession> {
        self.0.mcp_session(session_id).await
    }

    /// Ends a session before its time, within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn end(&self, session_id: &str) -> Result<()> {
        self.0.delete_mcp_session(session_id).await
    }
}

impl fmt::Debug for McpSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpSessions").finish_non_exhaustive()
    }
}
