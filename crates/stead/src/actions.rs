//! The actions of an application, the same over the embedded platform and over a service.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use serde_json::Value;
use stead_core::{
    Error, ErrorKind, Result,
    ports::BoxFuture,
    resource::{
        Account, AuthorizationLink, ExecuteRequest, Execution, NewAuthorizationLink, ProxyRequest,
        ToolDescription,
    },
    tool::{Effect, Tool},
};

/// What an application does in its users' stead. It is the same over the embedded platform and over a service.
///
/// Clones are cheap and share one platform or client.
#[derive(Clone)]
pub struct Actions(Arc<dyn Backend>);

/// The platform or the service behind [`Actions`].
pub(crate) trait Backend: Send + Sync + 'static {
    fn authorization_link(
        &self,
        new: NewAuthorizationLink,
    ) -> BoxFuture<'_, Result<AuthorizationLink>>;
    /// `effect` is what the call can do to the user's data, where the caller knows.
    fn execute<'a>(
        &'a self,
        tool: &'a str,
        request: ExecuteRequest,
        effect: Option<Effect>,
    ) -> BoxFuture<'a, Result<Execution>>;
    fn request(&self, request: ProxyRequest) -> BoxFuture<'_, Result<http::Response<Bytes>>>;
    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolDescription>>>;
    fn account<'a>(
        &'a self,
        connection_name: &'a str,
        identifier: &'a str,
    ) -> BoxFuture<'a, Result<Account>>;
    fn disconnect<'a>(
        &'a self,
        connection_name: &'a str,
        identifier: &'a str,
    ) -> BoxFuture<'a, Result<()>>;
}

impl Actions {
    pub(crate) fn new(backend: impl Backend) -> Self {
        Self(Arc::new(backend))
    }

    /// Makes a link for the user to open, with the connection's own permissions that works for ten minutes. Anyone
    /// who holds it is treated as the user; where the environment lets your application confirm who came back (the
    /// default), use [`Actions::authorization_link_with`] and give a `verify_url`.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`], [`ErrorKind::ConnectionNotReady`], or [`ErrorKind::InvalidRequest`] for an
    /// invalid identifier, or where a `verify_url` is required.
    pub async fn authorization_link(
        &self,
        connection_name: &str,
        identifier: &str,
    ) -> Result<AuthorizationLink> {
        let new = NewAuthorizationLink::new(connection_name, identifier);
        self.authorization_link_with(new).await
    }

    /// Makes a link with all its options.
    ///
    /// # Errors
    /// As [`Actions::authorization_link`].
    pub async fn authorization_link_with(
        &self,
        new: NewAuthorizationLink,
    ) -> Result<AuthorizationLink> {
        self.0.authorization_link(new).await
    }

    /// Runs a tool by name. `input` is an object.
    ///
    /// # Errors
    /// Any [`ErrorKind`]; [`Error::act_by`] says who must act.
    pub async fn execute_tool(
        &self,
        name: &str,
        connection_name: &str,
        identifier: &str,
        input: Value,
    ) -> Result<Execution> {
        let request = ExecuteRequest::new(connection_name, identifier, input);
        self.execute_tool_with(name, request).await
    }

    /// Runs a tool by name with all options of a call.
    ///
    /// # Errors
    /// As [`Actions::execute_tool`].
    pub async fn execute_tool_with(
        &self,
        name: &str,
        request: ExecuteRequest,
    ) -> Result<Execution> {
        self.0.execute(name, request, None).await
    }

    /// Runs a tool by its struct: the version that this program was compiled with.
    ///
    /// # Errors
    /// As [`Actions::execute_tool`].
    pub async fn call<T: Tool>(
        &self,
        connection_name: &str,
        identifier: &str,
        tool: &T,
    ) -> Result<Execution> {
        let mut request = ExecuteRequest::new(connection_name, identifier, input_of(tool)?);
        request.tool_version = Some(T::VERSION.to_owned());
        self.0.execute(T::NAME, request, Some(T::EFFECT)).await
    }

    /// Sends a raw request to the product and returns the product's response, whatever its status.
    ///
    /// # Errors
    /// What kept the product from responding; [`ErrorKind::ResponseTooLarge`] for a body beyond the product's limit.
    pub async fn request(&self, request: ProxyRequest) -> Result<http::Response<Bytes>> {
        self.0.request(request).await
    }

    /// Every tool, newest versions.
    ///
    /// # Errors
    /// Over a service, what kept it from responding.
    pub async fn tools(&self) -> Result<Vec<ToolDescription>> {
        self.0.tools().await
    }

    /// A user's account and its state.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`] or [`ErrorKind::AccountNotFound`].
    pub async fn account(&self, connection_name: &str, identifier: &str) -> Result<Account> {
        self.0.account(connection_name, identifier).await
    }

    /// Ends a user's account and shreds its credential. The grant at the product stays.
    ///
    /// # Errors
    /// As [`Actions::account`].
    pub async fn disconnect(&self, connection_name: &str, identifier: &str) -> Result<()> {
        self.0.disconnect(connection_name, identifier).await
    }
}

impl fmt::Debug for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actions").finish_non_exhaustive()
    }
}

/// A tool's struct as the input of a call by name. Absent fields are left out: a schema accepts no `null` for them.
fn input_of<T: Tool>(tool: &T) -> Result<Value> {
    let mut input = serde_json::to_value(tool).map_err(|error| {
        Error::new(
            ErrorKind::InvalidRequest,
            format!("the input of {} cannot be written as JSON", T::NAME),
        )
        .with_source(error)
    })?;
    drop_nulls(&mut input);
    Ok(input)
}

fn drop_nulls(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, member| !member.is_null());
        members.values_mut().for_each(drop_nulls);
    }
}
