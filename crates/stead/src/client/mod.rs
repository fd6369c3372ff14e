//! The client of a Stead service.

mod response;
mod service;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use bytes::Bytes;
use http::Method;
use secrecy::SecretString;
use stead_core::{
    Error, ErrorKind, Result,
    ports::{BoxFuture, Transport},
    resource::{
        Account, AuthorizationLink, ExecuteRequest, Execution, NewAuthorizationLink, Page,
        ProxyRequest, ToolDescription,
    },
    tool::Effect,
};

use crate::actions::{Actions, Backend};
use service::{Outgoing, Service, segment};

/// A client of a Stead service. It fetches a bearer token with the application's credentials, keeps it, and fetches
/// another one when the service refuses it.
///
/// Clones are cheap and share the token and the connections.
#[derive(Clone)]
pub struct Client(Arc<Service>);

impl Client {
    /// A client of the service at `environment_url`, with the application's credentials. Sends nothing yet.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if the URL is not an http(s) URL, has a query, or is plain http beyond this machine.
    #[cfg(feature = "reqwest")]
    pub fn new(
        environment_url: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<SecretString>,
    ) -> Result<Self> {
        Self::with_transport(
            environment_url,
            client_id,
            client_secret,
            crate::default_transport()?,
        )
    }

    /// The same over a transport of your own.
    ///
    /// # Errors
    /// As for the URL in `Client::new`.
    pub fn with_transport(
        environment_url: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<SecretString>,
        transport: Arc<dyn Transport>,
    ) -> Result<Self> {
        let service = Service::new(
            environment_url,
            client_id.into(),
            client_secret.into(),
            transport,
        )?;
        Ok(Self(Arc::new(service)))
    }

    /// The actions of the application.
    pub fn actions(&self) -> Actions {
        Actions::new(self.clone())
    }
}

impl fmt::Debug for Client {
    /// Shows only the service.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("environment_url", &self.0.url())
            .finish_non_exhaustive()
    }
}

impl Backend for Client {
    fn authorization_link(
        &self,
        new: NewAuthorizationLink,
    ) -> BoxFuture<'_, Result<AuthorizationLink>> {
        Box::pin(async move {
            let request = Outgoing::json(Method::POST, "/v1/authorization-links", &new)?;
            response::read(&self.0.send(request).await?)
        })
    }

    fn execute<'a>(
        &'a self,
        tool: &'a str,
        request: ExecuteRequest,
        effect: Option<Effect>,
    ) -> BoxFuture<'a, Result<Execution>> {
        Box::pin(async move {
            let path = format!("/v1/tools/{}/execute", segment(tool));
            let mut outgoing = Outgoing::json(Method::POST, &path, &request)?;
            if let Some(key) = &request.idempotency_key {
                outgoing = outgoing.idempotency_key(key)?;
            }
            if effect != Some(Effect::Read) {
                outgoing = outgoing.may_write();
            }
            response::read(&self.0.send(outgoing).await?)
        })
    }

    fn request(&self, request: ProxyRequest) -> BoxFuture<'_, Result<http::Response<Bytes>>> {
        Box::pin(async move {
            let mut outgoing = Outgoing::json(Method::POST, "/v1/proxy", &request)?;
            if !matches!(request.method.as_str(), "GET" | "HEAD") {
                outgoing = outgoing.may_write();
            }
            response::of_product(self.0.send(outgoing).await?)
        })
    }

    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolDescription>>> {
        Box::pin(async move {
            let request = Outgoing::new(Method::GET, "/v1/tools");
            let page: Page<ToolDescription> = response::read(&self.0.send(request).await?)?;
            Ok(page.items)
        })
    }

    fn account<'a>(
        &'a self,
        connection_name: &'a str,
        identifier: &'a str,
    ) -> BoxFuture<'a, Result<Account>> {
        Box::pin(async move {
            let path = account_path(connection_name, identifier)?;
            response::read(&self.0.send(Outgoing::new(Method::GET, &path)).await?)
        })
    }

    fn disconnect<'a>(
        &'a self,
        connection_name: &'a str,
        identifier: &'a str,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let path = account_path(connection_name, identifier)?;
            response::done(&self.0.send(Outgoing::new(Method::DELETE, &path)).await?)
        })
    }
}

/// `.` and `..` are identifiers, yet as a path segment they are gone before a request is sent, whatever their encoding
/// (URL Standard, "single-dot URL path segment").
fn account_path(connection_name: &str, identifier: &str) -> Result<String> {
    if matches!(identifier, "" | "." | "..") {
        return Err(Error::new(
            ErrorKind::InvalidRequest,
            format!("the identifier {identifier:?} cannot be part of a path"),
        ));
    }
    Ok(format!(
        "/v1/accounts/{}/{}",
        segment(connection_name),
        segment(identifier)
    ))
}
