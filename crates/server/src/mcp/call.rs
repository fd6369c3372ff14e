//! A call of a tool: which connection is meant, and the call itself.

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse},
    service::RequestContext,
};
use serde_json::Value;
use stead::{
    Error,
    core::{
        environment::{Environment, McpConnection, McpOffer},
        resource::ExecuteRequest,
    },
};

use super::{
    authorize, caller,
    connection::{CONNECTION, of_product, one_of},
    links::Links,
    own_tools,
    progress::Progress,
    results::{self, protocol_error},
};

/// The member of `_meta` that makes a call once, however often it comes with this key.
const IDEMPOTENCY_KEY: &str = "stead/idempotency_key";

/// Calls a tool as the user of the session.
pub(super) async fn call(
    environment: &Environment,
    links: &Links,
    mut request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let offer = environment.mcp_offer().await.map_err(protocol_error)?;
    let digest = authorize::digest(&request);
    let mut arguments = request.arguments.take().unwrap_or_default();
    let name = request.name.as_ref();
    if let Some(result) = own_tools::call(environment, links, &offer, name, &arguments).await {
        return Ok(result.into());
    }
    let given = arguments.remove(CONNECTION);
    let connection = match connection(environment, &offer, name, given.as_ref()) {
        Ok(connection) => connection,
        Err(error) if error.violation_list().is_empty() => return Err(protocol_error(error)),
        Err(error) => return Ok(results::error(&error).into()),
    };
    let mut progress = Progress::of(context);
    let earlier = authorize::earlier_try(environment, connection, &request, &digest, &mut progress);
    if let Some(response) = earlier.await? {
        return Ok(response);
    }
    let identifier = caller::identifier(environment).map_err(protocol_error)?;
    let mut execute = ExecuteRequest::new(
        connection.name.as_str(),
        identifier,
        Value::Object(arguments),
    );
    let key = context.meta.get(IDEMPOTENCY_KEY).and_then(Value::as_str);
    execute.idempotency_key = key.map(str::to_owned);
    execute.result = offer.results.clone();
    let running = environment.execute(name, execute);
    match progress.during(environment, connection, running).await {
        Ok(execution) => Ok(results::success(&execution).into()),
        Err(error) if error.authorization_request().is_some() => {
            authorize::ask(environment, links, connection, digest, &error, context).await
        }
        Err(error) => Ok(results::error(&error).into()),
    }
}

/// The connection for a tool: the only one of its product, or the one that the arguments name.
fn connection<'o>(
    environment: &Environment,
    offer: &'o McpOffer<'_>,
    name: &str,
    given: Option<&Value>,
) -> Result<&'o McpConnection, Error> {
    let product = environment.catalogue().find(name, None, None)?.product();
    let mut connections = of_product(offer, product).peekable();
    if connections.peek().is_none() {
        let message = format!("this session has no connection of {}", product.title);
        return Err(Error::new(stead::ErrorKind::UnknownTool, message));
    }
    one_of(connections, given)
}
