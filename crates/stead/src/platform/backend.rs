//! The operations of an application, in this process.

use bytes::Bytes;
use serde_json::Value;
use stead_core::{
    Error, ErrorKind,
    environment::Environment,
    ports::{Limits, TransportErrorKind},
    resource::{
        Account, AccountFilter, AuthorizationLink, Connection, ConnectionChange, Disconnected,
        ExecuteRequest, Execution, NewAuthorizationLink, NewConnection, Page, ProxyRequest,
        ToolDescription, ToolFilter,
    },
    schema::ExportFormat,
    tool::Effect,
};

use crate::handles::backend::{Backend, Paging, Pending, User};

impl Backend for Environment {
    fn create_connection(&self, new: NewConnection) -> Pending<'_, Connection> {
        Box::pin(self.create_connection(new))
    }
    fn connections(&self, paging: Paging) -> Pending<'_, Page<Connection>> {
        Box::pin(async move { self.connections(paging.token.as_deref(), paging.size).await })
    }
    fn connection<'a>(&'a self, name: &'a str) -> Pending<'a, Connection> {
        Box::pin(self.connection(name))
    }
    fn change_connection<'a>(
        &'a self,
        name: &'a str,
        change: ConnectionChange,
    ) -> Pending<'a, Connection> {
        Box::pin(self.change_connection(name, change))
    }
    fn delete_connection<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(self.delete_connection(name))
    }

    fn create_authorization_link(
        &self,
        new: NewAuthorizationLink,
    ) -> Pending<'_, AuthorizationLink> {
        Box::pin(self.create_authorization_link(new))
    }
    fn verify_authorization<'a>(
        &'a self,
        authorization_id: &'a str,
        identifier: &'a str,
    ) -> Pending<'a, Account> {
        Box::pin(self.verify_authorization(authorization_id, identifier))
    }

    fn accounts(&self, filter: AccountFilter, paging: Paging) -> Pending<'_, Page<Account>> {
        Box::pin(async move {
            self.accounts(&filter, paging.token.as_deref(), paging.size)
                .await
        })
    }
    fn account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(self.account(user.connection_name.as_str(), user.identifier.as_str()))
    }
    fn refresh_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(self.refresh_account(user.connection_name.as_str(), user.identifier.as_str()))
    }
    fn suspend_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(self.suspend_account(user.connection_name.as_str(), user.identifier.as_str()))
    }
    fn resume_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(self.resume_account(user.connection_name.as_str(), user.identifier.as_str()))
    }
    fn disconnect_account<'a>(
        &'a self,
        user: &'a User,
        revoke_at_product: bool,
    ) -> Pending<'a, Disconnected> {
        Box::pin(self.disconnect_account(
            user.connection_name.as_str(),
            user.identifier.as_str(),
            revoke_at_product,
        ))
    }

    fn tools(&self, filter: ToolFilter) -> Pending<'_, Vec<ToolDescription>> {
        Box::pin(self.tools(filter))
    }
    fn tool<'a>(&'a self, name: &'a str) -> Pending<'a, ToolDescription> {
        Box::pin(std::future::ready(self.tool(name)))
    }
    fn exported_tools(&self, filter: ToolFilter, format: ExportFormat) -> Pending<'_, Vec<Value>> {
        Box::pin(async move { self.exported_tools(&filter, format).await })
    }
    fn execute<'a>(
        &'a self,
        tool: &'a str,
        request: ExecuteRequest,
        _effect: Option<Effect>,
    ) -> Pending<'a, Execution> {
        Box::pin(self.execute(tool, request))
    }
    fn proxy(&self, request: ProxyRequest) -> Pending<'_, http::Response<Bytes>> {
        Box::pin(async move {
            let (head, body) = self.proxy(request).await?.into_parts();
            let body = body.collect(Limits::DEFAULT.response_bytes).await;
            let body = body.map_err(|error| {
                let kind = match error.kind() {
                    TransportErrorKind::TooLarge => ErrorKind::ResponseTooLarge,
                    _ => ErrorKind::UpstreamTruncated,
                };
                let message = format!("the product's response was not read: {error}");
                Error::new(kind, message).with_source(error)
            })?;
            Ok(http::Response::from_parts(head, body))
        })
    }
}
