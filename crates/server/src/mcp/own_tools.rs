//! Stead's own tools of a session: create a link for its user, check whether the user has opened it, and read more of a
//! result.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use serde_json::{Value, json};
use stead::{Error, ErrorKind};
use stead_core::{
    environment::{Environment, McpConnection, McpOffer},
    resource::{AccountState, ReadAccount},
};

use super::{
    authorize, caller,
    connection::{CONNECTION, connection_parameter, one_of},
    links::Links,
    read_result, results,
};

const LINK: &str = "stead_get_authorization_link";
const CHECK: &str = "stead_check_authorization";

/// The first two if the session has a connection, the third if it can have truncated results.
pub(super) fn list(offer: &McpOffer<'_>) -> impl Iterator<Item = Result<Tool, Error>> {
    let names: Vec<&str> = offer
        .connections
        .iter()
        .map(|connection| connection.name.as_str())
        .collect();
    let input = json!({
        "type": "object",
        "properties": { CONNECTION: connection_parameter(&names) },
        "required": [CONNECTION],
        "additionalProperties": false,
    });
    let annotations = |reads: bool| json!({ "readOnlyHint": reads, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false });
    let check = json!({
        "name": CHECK,
        "title": "Check an authorization",
        "description": "Returns whether the user has authorized a connection, which its tools need.",
        "inputSchema": input,
        "outputSchema": {
            "type": "object",
            "properties": {
                CONNECTION: { "type": "string" },
                "authorized": { "type": "boolean", "description": "Whether the connection's tools can be called." },
                "state": { "type": "string", "description": "State of the account. Absent until the first link is created." },
            },
            "required": [CONNECTION, "authorized"],
        },
        "annotations": annotations(true),
    });
    let link = json!({
        "name": LINK,
        "title": "Get an authorization link",
        "description": "Creates a link that the user opens to authorize a connection. Show it to the user, because only the user can open it.",
        "inputSchema": input,
        "annotations": annotations(false),
    });
    let both = if names.is_empty() {
        Vec::new()
    } else {
        vec![read(check), read(link)]
    };
    both.into_iter().chain(read_result::tool(offer).map(read))
}

/// The result of one of these tools. `None` if the name is another tool's.
pub(super) async fn call(
    environment: &Environment,
    links: &Links,
    connections: &[McpConnection],
    name: &str,
    arguments: &JsonObject,
) -> Option<CallToolResult> {
    if name == results::READ {
        let result = read_result::call(environment, arguments).await;
        return Some(result.unwrap_or_else(|error| results::error(&error)));
    }
    if name != LINK && name != CHECK {
        return None;
    }
    let result = match one_of(connections.iter(), arguments.get(CONNECTION)) {
        Ok(connection) if name == LINK => link(environment, links, connection).await,
        Ok(connection) => check(environment, connection).await,
        Err(error) => Err(error),
    };
    Some(result.unwrap_or_else(|error| results::error(&error)))
}

/// The state of the user's account. `None` if there is no account yet.
async fn state(
    environment: &Environment,
    connection: &McpConnection,
) -> Result<Option<(AccountState, bool)>, Error> {
    let identifier = caller::identifier(environment)?;
    match environment
        .send(ReadAccount::new(connection.name.as_str(), identifier))
        .await
    {
        Ok(account) => Ok(Some((account.state, account.missing_scopes.is_empty()))),
        Err(error) if error.kind() == ErrorKind::AccountNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

async fn check(
    environment: &Environment,
    connection: &McpConnection,
) -> Result<CallToolResult, Error> {
    let (name, title) = (&connection.name, connection.product.title);
    let state = state(environment, connection).await?;
    let (text, authorized) = match state {
        Some((AccountState::Active, true)) => (format!("{title} is connected."), true),
        Some((AccountState::Active, false)) => (
            format!("{title} is connected, but the user didn't grant all permissions."),
            true,
        ),
        Some((AccountState::PendingVerification, _)) => (
            format!(
                "The user has authorized, but the application hasn't confirmed who it was yet. Check {title} again in a moment."
            ),
            false,
        ),
        Some((AccountState::Suspended, _)) => {
            (format!("The application has suspended {title}."), false)
        }
        _ => (format!("{title} isn't connected yet."), false),
    };
    let mut structured = json!({ CONNECTION: name, "authorized": authorized });
    if let Some((state, _)) = state {
        structured["state"] = Value::from(state.name());
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    Ok(result)
}

async fn link(
    environment: &Environment,
    links: &Links,
    connection: &McpConnection,
) -> Result<CallToolResult, Error> {
    let (name, title) = (connection.name.as_str(), connection.product.title);
    if state(environment, connection).await? == Some((AccountState::Active, true)) {
        let text = format!("{title} is connected; no link is needed.");
        return Ok(CallToolResult::success(vec![ContentBlock::text(text)]));
    }
    let link = links.get(environment, name, None).await?;
    let text = authorize::text(&format!("The user connects {title} here:"), &link.link);
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
}

/// A tool from its description.
pub(super) fn read(described: Value) -> Result<Tool, Error> {
    serde_json::from_value(described)
        .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))
}
