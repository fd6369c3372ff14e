//! Every operation of an application, which the platform and the client of a service both have.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use stead_core::{
    Result,
    identifier::{ConnectionName, Identifier},
    ports::BoxFuture,
    resource::{
        Account, AccountFilter, AuthorizationLink, Connection, ConnectionChange, Disconnected,
        ExecuteRequest, Execution, NewAuthorizationLink, NewConnection, Page, ProxyRequest,
        ToolDescription, ToolFilter,
    },
    schema::ExportFormat,
    tool::Effect,
};

/// A backend that the handles over it share.
pub(crate) type Shared = Arc<dyn Backend>;
/// The result of an operation, to be awaited.
pub(crate) type Pending<'a, T> = BoxFuture<'a, Result<T>>;

/// The platform or the service behind every handle. A new operation is a method here, so that neither lacks it.
pub(crate) trait Backend: Send + Sync + 'static {
    fn create_connection(&self, new: NewConnection) -> Pending<'_, Connection>;
    fn connections(&self, paging: Paging) -> Pending<'_, Page<Connection>>;
    fn connection<'a>(&'a self, name: &'a str) -> Pending<'a, Connection>;
    fn change_connection<'a>(
        &'a self,
        name: &'a str,
        change: ConnectionChange,
    ) -> Pending<'a, Connection>;
    fn delete_connection<'a>(&'a self, name: &'a str) -> Pending<'a, ()>;

    fn create_authorization_link(
        &self,
        new: NewAuthorizationLink,
    ) -> Pending<'_, AuthorizationLink>;
    fn verify_authorization<'a>(
        &'a self,
        authorization_id: &'a str,
        identifier: &'a str,
    ) -> Pending<'a, Account>;

    fn accounts(&self, filter: AccountFilter, paging: Paging) -> Pending<'_, Page<Account>>;
    fn account<'a>(&'a self, user: &'a User) -> Pending<'a, Account>;
    fn refresh_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account>;
    fn suspend_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account>;
    fn resume_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account>;
    fn disconnect_account<'a>(
        &'a self,
        user: &'a User,
        revoke_at_product: bool,
    ) -> Pending<'a, Disconnected>;

    fn tools(&self, filter: ToolFilter) -> Pending<'_, Vec<ToolDescription>>;
    fn tool<'a>(&'a self, name: &'a str) -> Pending<'a, ToolDescription>;
    fn exported_tools(&self, filter: ToolFilter, format: ExportFormat) -> Pending<'_, Vec<Value>>;
    /// `effect` is what the call can do to the user's data, where the caller knows.
    fn execute<'a>(
        &'a self,
        tool: &'a str,
        request: ExecuteRequest,
        effect: Option<Effect>,
    ) -> Pending<'a, Execution>;
    fn proxy(&self, request: ProxyRequest) -> Pending<'_, http::Response<Bytes>>;
}

/// A user of a connection, parsed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) connection_name: ConnectionName,
    pub(crate) identifier: Identifier,
}

impl User {
    pub(crate) fn new(connection_name: &str, identifier: &str) -> Result<Self> {
        Ok(Self {
            connection_name: ConnectionName::new(connection_name)?,
            identifier: Identifier::new(identifier)?,
        })
    }
}

/// Which page of a list.
#[derive(Debug, Clone)]
pub(crate) struct Paging {
    pub(crate) token: Option<String>,
    pub(crate) size: u32,
}

impl Default for Paging {
    fn default() -> Self {
        Self {
            token: None,
            size: 50,
        }
    }
}
