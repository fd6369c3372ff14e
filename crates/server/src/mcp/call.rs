//! Calls a tool through the connection that the call means.

use rmcp::{
    ErrorData,
    model::{CallToolRequestParams, CallToolResponse},
};
use serde_json::Value;
use stead::Error;
use stead_core::{
    environment::{Environment, McpConnection},
    resource::ExecuteRequest,
    trace::TraceParent,
};

use super::{
    authorize::{self, Asked},
    caller,
    client::Client,
    connection::{CONNECTION, of_product, one_of},
    find,
    links::Links,
    own_tools,
    progress::Progress,
    results::{self, protocol_error},
};

/// The member of `_meta` with the idempotency key: calls with the same key run once.
const IDEMPOTENCY_KEY: &str = "stead/idempotency_key";

/// The member of `_meta` in which a client names its trace. Several calls can share a connection, so the request's
/// header may belong to the connection.
const TRACE_PARENT: &str = "traceparent";

/// Calls a tool as the session's user.
pub(super) async fn call(
    environment: &Environment,
    links: &Links,
    mut request: CallToolRequestParams,
    client: &Client<'_>,
) -> Result<CallToolResponse, ErrorData> {
    let traced = client.meta.get(TRACE_PARENT).and_then(Value::as_str);
    let traced = traced.and_then(TraceParent::parse);
    let traced = traced.map(|parent| environment.clone().in_trace(parent.trace_id));
    let environment = traced.as_ref().unwrap_or(environment);
    let session = caller::session(environment).map_err(protocol_error)?;
    let connections = environment.mcp_connections().await;
    let connections = connections.map_err(protocol_error)?;
    if let Err(error) = find::executed(&mut request) {
        return Ok(results::error(&error).into());
    }
    let digest = authorize::digest(&request, client);
    let mut arguments = request.arguments.take().unwrap_or_default();
    let name = request.name.as_ref();
    if let Some(result) = own_tools::call(environment, links, &connections, name, &arguments).await
    {
        return Ok(result.into());
    }
    if let Some(result) = find::call(environment, name, &arguments).await {
        return Ok(result.into());
    }
    let given = arguments.remove(CONNECTION);
    let connection = match connection(environment, &connections, name, given.as_ref()) {
        Ok(connection) => connection,
        Err(error) if error.violation_list().is_empty() => return Err(protocol_error(error)),
        Err(error) => return Ok(results::error(&error).into()),
    };
    let mut progress = Progress::of(client);
    let earlier = authorize::earlier_try(environment, connection, &request, &digest, &mut progress);
    if let Some(response) = earlier.await? {
        return Ok(response);
    }
    let mut execute = ExecuteRequest::new(
        connection.name.as_str(),
        session.identifier.as_str(),
        Value::Object(arguments),
    );
    let key = client.meta.get(IDEMPOTENCY_KEY).and_then(Value::as_str);
    execute.idempotency_key = key.map(str::to_owned);
    execute.result = session.results.clone();
    let mut before = false;
    loop {
        let running = environment.execute(name, execute.clone());
        let error = match progress.during(environment, connection, running).await {
            Ok(execution) => return Ok(results::success(&execution).into()),
            Err(error) if error.authorization_request().is_some() => error,
            Err(error) => return Ok(results::error(&error).into()),
        };
        let digest = digest.clone();
        let asked = authorize::ask(
            environment,
            links,
            connection,
            digest,
            &error,
            client,
            before,
        );
        match asked.await? {
            Asked::Response(response) => return Ok(response),
            Asked::Allowed => before = true,
        }
    }
}

/// The connection for a tool: the only one of its product, or the one that the arguments name.
fn connection<'c>(
    environment: &Environment,
    connections: &'c [McpConnection],
    name: &str,
    given: Option<&Value>,
) -> Result<&'c McpConnection, Error> {
    let product = environment.catalogue().find(name, None, None)?.product();
    let mut connections = of_product(connections, product).peekable();
    if connections.peek().is_none() {
        let message = format!("this session has no connection for {}", product.title);
        return Err(Error::new(stead::ErrorKind::UnknownTool, message));
    }
    one_of(connections, given)
}
