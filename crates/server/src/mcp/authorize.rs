//! Tells a client that the user must authorize, in the form that it knows.

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
        ElicitRequestParams, ElicitationAction, InputRequest, InputRequiredResult, ProtocolVersion,
    },
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use stead::Error;
use stead_core::{
    agent::authorization_text,
    environment::{Environment, McpConnection},
    error::AuthorizationRequest,
    resource::{AuthorizationLink, AuthorizationState, ReadAuthorization},
};

use super::{client::Client, links::Links, progress::Progress, results};

/// How long a call waits for a user who has been asked or is at the product, and how often it checks.
const WAIT: Duration = Duration::from_secs(25);
const LOOK: Duration = Duration::from_secs(1);

/// The forms in which a client can receive a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As a request for input (2026-07-28).
    Input,
    /// As a question in the call's stream (2025-11-25). That revision also has an error for it, but frameworks then end
    /// the call without showing the link.
    Question,
    /// As a text for the model.
    Text,
}

impl Form {
    fn of(client: &Client<'_>) -> Self {
        let capabilities = client.capabilities();
        let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
        let version = client.version();
        // As texts, dates have the order of time.
        let version = version.as_ref().map_or("", ProtocolVersion::as_str);
        match elicitation.is_some_and(|elicitation| elicitation.url.is_some()) {
            true if version >= ProtocolVersion::V_2026_07_28.as_str() => Self::Input,
            true if version == ProtocolVersion::V_2025_11_25.as_str() && client.has_a_stream() => {
                Self::Question
            }
            _ => Self::Text,
        }
    }
}

/// The result of asking the user.
pub(super) enum Asked {
    /// The response to the call.
    Response(CallToolResponse),
    /// The user came back, so the call continues.
    Allowed,
}

/// Asks the user to open a link, because the user must act before the call. If this call has already asked in its
/// stream (`before`), it doesn't ask there again.
pub(super) async fn ask(
    environment: &Environment,
    links: &Links,
    connection: &McpConnection,
    call: String,
    error: &Error,
    client: &Client<'_>,
    before: bool,
) -> Result<Asked, ErrorData> {
    let asked = error.authorization_request();
    let scopes = asked.map(|asked: &AuthorizationRequest| asked.scopes.clone());
    let scopes = scopes.filter(|scopes| !scopes.is_empty());
    let link = links.get(environment, connection.name.as_str(), scopes);
    let link = match link.await {
        Ok(link) => link,
        Err(failed) => return Ok(Asked::Response(results::error(&failed).into())),
    };
    let told = authorization_text(error, connection.product.title, Some(&link.link));
    let message = told.lines().next().unwrap_or_default().to_owned();
    let form = Form::of(client);
    if form == Form::Question && !before {
        let id = link.authorization_id.to_string();
        let question = client.elicit(elicit(message.clone(), &link, id.clone()));
        let action = tokio::select! {
            action = question => action,
            () = environment.runtime().sleep(WAIT) => None,
        };
        match action {
            Some(ElicitationAction::Accept) => {
                let mut waited = Duration::ZERO;
                while waited < WAIT && is_under_way(environment, &id).await {
                    environment.runtime().sleep(LOOK).await;
                    waited += LOOK;
                }
                return Ok(Asked::Allowed);
            }
            Some(_) => return Ok(Asked::Response(declined(connection).into())),
            None => {}
        }
    }
    let response = match form {
        Form::Input => {
            let sealed = environment.seal_request_state(link.authorization_id, call);
            let state = sealed.map_err(results::protocol_error)?;
            let request = InputRequest::Elicitation(ElicitRequest::new(elicit(
                message,
                &link,
                String::new(),
            )));
            let requests = BTreeMap::from([(key(connection), request)]);
            InputRequiredResult::new(Some(requests), Some(state)).into()
        }
        Form::Question | Form::Text => {
            let content = ContentBlock::text(told);
            let mut result = CallToolResult::error(vec![content]);
            result.meta = Some(results::meta(json!({
                "stead/error": { "kind": error.kind_name(), "act_by": "end_user", "retryable": false },
                "stead/authorization": {
                    "connection_name": connection.name,
                    "link": link.link,
                    "expires_at": link.expires_at,
                },
            })));
            result.into()
        }
    };
    Ok(Asked::Response(response))
}

/// A sentence, the link on its own line, and what to do next.
pub(super) fn text(sentence: &str, link: &str) -> String {
    format!("{sentence}\n{link}\nThen try again.")
}

fn elicit(
    message: String,
    link: &AuthorizationLink,
    elicitation_id: String,
) -> ElicitRequestParams {
    ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message,
        url: link.link.clone(),
        elicitation_id,
    }
}

/// The name of the request to the user among those of a call.
fn key(connection: &McpConnection) -> String {
    format!("authorize_{}", connection.name)
}

/// A digest of the tool and its arguments. A state is only valid for the call that it was made for. Empty if there is
/// no state, and none will be made.
pub(super) fn digest(request: &CallToolRequestParams, client: &Client<'_>) -> String {
    if request.request_state.is_none() && Form::of(client) != Form::Input {
        return String::new();
    }
    let arguments = request.arguments.clone().map(Value::Object);
    let call = json!([request.name, arguments.unwrap_or_default()]);
    URL_SAFE_NO_PAD.encode(Sha256::digest(call.to_string()))
}

/// The result of asking the user in an earlier attempt of the same call. If the user accepted, it waits a while for the
/// user to come back. A response ends the call.
pub(super) async fn earlier_try(
    environment: &Environment,
    connection: &McpConnection,
    request: &CallToolRequestParams,
    call: &str,
    progress: &mut Progress<'_>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let Some(sealed) = &request.request_state else {
        return Ok(None);
    };
    let opened = environment.open_request_state(sealed).await;
    let state = opened.map_err(results::protocol_error)?;
    if state.call != call {
        let message = "the request state belongs to a different call; call again without it";
        return Err(ErrorData::invalid_params(message, None));
    }
    let responses = request.input_responses.as_ref();
    let response = responses.and_then(|responses| responses.get(&key(connection)));
    match response.and_then(|response| response["action"].as_str()) {
        Some("accept") => {
            let id = state.authorization_id.to_string();
            let mut waited = Duration::ZERO;
            while waited < WAIT && is_under_way(environment, &id).await {
                environment.runtime().sleep(LOOK).await;
                waited += LOOK;
                progress.tell(waited, "Waiting for the user").await;
            }
            Ok(None)
        }
        Some("decline" | "cancel") => Ok(Some(declined(connection).into())),
        // The call goes ahead, and asks the user again if necessary.
        _ => Ok(None),
    }
}

/// The response to a call if the user declined to connect.
fn declined(connection: &McpConnection) -> CallToolResult {
    let title = connection.product.title;
    let text = format!(
        "The user didn't connect {title}, so this wasn't done. Don't ask again unless the user wants to."
    );
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    let declined =
        json!({ "kind": "authorization_declined", "act_by": "end_user", "retryable": false });
    result.meta = Some(results::meta(json!({ "stead/error": declined })));
    result
}

/// Whether the user is still busy with it.
async fn is_under_way(environment: &Environment, authorization_id: &str) -> bool {
    let authorization = environment
        .send(ReadAuthorization::new(authorization_id))
        .await;
    authorization.is_ok_and(|authorization| {
        matches!(
            authorization.state,
            AuthorizationState::Created
                | AuthorizationState::Redirected
                | AuthorizationState::Returned
                | AuthorizationState::Verifying
        )
    })
}
