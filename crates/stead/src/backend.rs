//! The platform in this process, or the client of a service: where handles send their operations.

#[cfg(feature = "client")]
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
#[cfg(feature = "platform")]
use stead_core::{
    Error, ErrorKind,
    environment::Environment,
    ports::{Limits, TransportErrorKind},
};
use stead_core::{
    Result,
    agent::{ToolCallResults, ToolCalls},
    identifier::{ConnectionName, Identifier},
    ports::BoxFuture,
    resource::{
        ByteRange, EventFilter, EventPage, ExecuteRequest, Execution, ExportedTools, ProxyRequest,
        ResultFile, ToolDescription, ToolFilter,
    },
    schema::ExportFormat,
    tool::Effect,
};

use crate::Operation;
#[cfg(feature = "client")]
use crate::remote::Service;

/// The result of an operation, to be awaited.
pub(crate) type Pending<'a, T> = BoxFuture<'a, Result<T>>;

/// The platform in this process, or the client of a service. Clones share everything.
#[derive(Clone)]
pub(crate) enum Backend {
    #[cfg(feature = "platform")]
    Platform(Environment),
    #[cfg(feature = "client")]
    Client(Arc<Service>),
}

/// Does the same in this process or at a service.
macro_rules! either {
    ($backend:expr, $environment:ident => $here:expr, $service:ident => $there:expr) => {
        match $backend {
            #[cfg(feature = "platform")]
            Backend::Platform($environment) => $here,
            #[cfg(feature = "client")]
            Backend::Client($service) => $there,
        }
    };
}

impl Backend {
    /// Runs an operation.
    pub(crate) async fn send<O: Operation>(&self, operation: O) -> Result<O::Output> {
        either!(self,
            environment => environment.send(operation).await,
            service => service.run(&operation).await)
    }

    /// A page of the feed.
    pub(crate) async fn events(
        &self,
        filter: EventFilter,
        after: Option<String>,
        limit: u32,
        wait: Duration,
    ) -> Result<EventPage> {
        either!(self,
            environment => environment.events(&filter, after.as_deref(), limit, wait).await,
            service => service.events(&filter, after.as_deref(), limit, wait).await)
    }

    /// Tools in their newest versions.
    pub(crate) async fn tools(&self, filter: ToolFilter) -> Result<Vec<ToolDescription>> {
        either!(self,
            environment => environment.tools(filter).await,
            service => service.tools(&filter).await)
    }

    /// One tool.
    pub(crate) async fn tool(&self, name: &str) -> Result<ToolDescription> {
        either!(self, environment => environment.tool(name), service => service.tool(name).await)
    }

    /// Tools in a model vendor's format.
    pub(crate) async fn export_tools(
        &self,
        filter: ToolFilter,
        format: ExportFormat,
    ) -> Result<ExportedTools> {
        either!(self,
            environment => environment.export_tools(&filter, format).await,
            service => service.export_tools(&filter, format).await)
    }

    /// The tools for finding tools.
    pub(crate) async fn meta_tools(&self, format: ExportFormat) -> Result<ExportedTools> {
        either!(self,
            environment => environment.meta_tools(format),
            service => service.meta_tools(format).await)
    }

    /// Runs the calls that a model requests.
    pub(crate) async fn tool_calls(&self, request: ToolCalls) -> Result<ToolCallResults> {
        either!(self,
            environment => environment.tool_calls(request).await,
            service => service.tool_calls(request).await)
    }

    /// Calls a tool. `effect` is the call's possible effect on the user's data, if the caller knows it.
    pub(crate) async fn execute(
        &self,
        tool: &str,
        request: ExecuteRequest,
        effect: Option<Effect>,
    ) -> Result<Execution> {
        #[cfg(not(feature = "client"))]
        let _ = effect;
        either!(self,
            environment => environment.execute(tool, request).await,
            service => service.execute(tool, request, effect).await)
    }

    /// Reads an omitted part of a result.
    pub(crate) async fn read_result(
        &self,
        handle: &str,
        range: Option<ByteRange>,
    ) -> Result<ResultFile> {
        either!(self,
            environment => {
                let file = environment.read_result(handle).await?;
                range.map_or(Ok(file.clone()), |range| file.range(range))
            },
            service => service.read_result(handle, range).await)
    }

    /// Sends a raw request.
    pub(crate) async fn proxy(&self, request: ProxyRequest) -> Result<http::Response<Bytes>> {
        either!(self,
            environment => send_raw(environment, request).await,
            service => service.proxy(request).await)
    }
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

/// Sends a raw request and reads the whole response.
#[cfg(feature = "platform")]
async fn send_raw(
    environment: &Environment,
    request: ProxyRequest,
) -> Result<http::Response<Bytes>> {
    let (head, body) = environment.proxy(request).await?.into_parts();
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
}
