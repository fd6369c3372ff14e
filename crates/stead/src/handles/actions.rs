//! An application's actions by plain names, the same for the embedded platform and for a service.

use std::fmt;

use bytes::Bytes;
use serde_json::Value;
use stead_core::{
    Result,
    resource::{
        Account, ByteRange, ExecuteRequest, NewAuthorizationLink, ProxyRequest, ResultFile,
        VerifyAuthorization,
    },
    tool::Tool,
};

use super::{authorize::Authorize, execute::Execute};
use crate::backend::Backend;

/// The actions of an application, each with connection and user by name. If you make several calls as one user, the
/// handle [`Account`](crate::Account) reads better.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// # use stead::{ErrorKind, NewConnection, Platform};
/// # let stead = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// # stead.connections().create(NewConnection::mail("mail").client("id", "secret")).await?;
/// let actions = stead.actions();
/// let link = actions.authorization_link("mail", "user-42").verify_url("https://app.example.com/connected").await?;
/// // The user opens link.link, comes back, and your application says who it was:
/// let verified = actions.verify(&link.authorization_id.to_string(), "user-42").await;
/// let drafts = actions.execute_tool("mail_list_drafts", "mail", "user-42", serde_json::json!({})).await;
/// # assert_eq!(verified.unwrap_err().kind(), ErrorKind::AuthorizationNotFound);
/// # assert_eq!(drafts.unwrap_err().kind(), ErrorKind::AuthorizationRequired);
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Actions(Backend);

impl Actions {
    pub(crate) fn new(backend: Backend) -> Self {
        Self(backend)
    }

    /// Creates a link for the user to open, with the connection's own permissions. It works for ten minutes. By default
    /// it needs an [`Authorize::verify_url`].
    pub fn authorization_link(&self, connection_name: &str, identifier: &str) -> Authorize {
        self.authorization_link_with(NewAuthorizationLink::new(connection_name, identifier))
    }

    /// Creates a link from all its options.
    pub fn authorization_link_with(&self, new: NewAuthorizationLink) -> Authorize {
        Authorize::new(self.0.clone(), new)
    }

    /// Confirms who came back, as [`Authorizations::verify`](crate::Authorizations::verify).
    ///
    /// # Errors
    /// As there.
    pub async fn verify(&self, authorization_id: &str, identifier: &str) -> Result<Account> {
        let verify = VerifyAuthorization::new(authorization_id, identifier);
        self.0.send(verify).await
    }

    /// Runs a tool by name. `input` is an object.
    pub fn execute_tool(
        &self,
        name: &str,
        connection_name: &str,
        identifier: &str,
        input: Value,
    ) -> Execute {
        self.execute_tool_with(
            name,
            ExecuteRequest::new(connection_name, identifier, input),
        )
    }

    /// Runs a tool by name with all options of a call.
    pub fn execute_tool_with(&self, name: &str, request: ExecuteRequest) -> Execute {
        Execute::new(self.0.clone(), name, request)
    }

    /// Runs a tool by its struct, in the version that this program was compiled with.
    pub fn call<T: Tool>(
        &self,
        connection_name: &str,
        identifier: &str,
        tool: &T,
    ) -> Execute<T::Output> {
        Execute::typed(self.0.clone(), connection_name, identifier, tool)
    }

    /// Reads the whole of a result that was returned only in part, by its handle in
    /// [`Execution::left_out`](crate::Execution::left_out), or a range of it. Stead asks the product again, as the user
    /// of that call. If two ranges have the same [`ResultFile::etag`], they are of the same content.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for a handle that has expired: after 24 hours, or with its
    /// account. [`ErrorKind::RangeNotSatisfiable`](crate::ErrorKind::RangeNotSatisfiable). The errors of the tool's
    /// call.
    pub async fn read_result(&self, handle: &str, range: Option<ByteRange>) -> Result<ResultFile> {
        self.0.read_result(handle, range).await
    }

    /// Sends a raw request to the product and returns the product's response, whatever its status.
    ///
    /// # Errors
    /// The failure that kept the product from responding.
    /// [`ErrorKind::ResponseTooLarge`](crate::ErrorKind::ResponseTooLarge) for a body beyond the product's limit.
    pub async fn request(&self, request: ProxyRequest) -> Result<http::Response<Bytes>> {
        self.0.proxy(request).await
    }
}

impl fmt::Debug for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actions").finish_non_exhaustive()
    }
}
