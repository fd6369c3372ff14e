//! Tools and a prompt that need input from the client, over one round or several.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
        InputRequiredResult, InputResponses,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::fixture::{complete, read, text};

type Response = Result<CallToolResponse, ErrorData>;

/// The state that goes with a request for input. Who has changed it is refused; that it is sealed is tested with the tools
/// of the service.
const STATE: &str = "round-1";

fn elicitation(message: &str, member: &str, kind: &str) -> Value {
    json!({
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": message,
            "requestedSchema": {
                "type": "object", "properties": { member: { "type": kind } }, "required": [member],
            },
        },
    })
}

fn sampling(question: &str) -> Value {
    json!({
        "method": "sampling/createMessage",
        "params": {
            "messages": [{ "role": "user", "content": { "type": "text", "text": question } }],
            "maxTokens": 100,
        },
    })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

fn input(requests: &Value, state: Option<&str>) -> Result<InputRequiredResult, ErrorData> {
    let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    read(result)
}

fn given<'r>(responses: Option<&'r InputResponses>, key: &str) -> Option<&'r Value> {
    responses?.get(key).filter(|response| response.is_object())
}

/// The response of such a tool; none for every other one.
pub(crate) fn respond(
    name: &str,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Response> {
    let name = match name {
        "test_streaming_elicitation" => "elicitation",
        _ => name.strip_prefix("test_input_required_result_")?,
    };
    let responses = request.input_responses.as_ref();
    let state = request.request_state.as_deref();
    Some(match name {
        "elicitation" => one(responses, "user_name", &name_question(), None),
        "sampling" => {
            let question = sampling("What is the capital of France?");
            one(responses, "capital_question", &question, None)
        }
        "list_roots" => one(responses, "client_roots", &roots(), None),
        "request_state" | "tampered_state" => {
            let confirm = elicitation("Please confirm", "ok", "boolean");
            match state {
                Some(state) if state != STATE => Err(changed()),
                Some(_) => Ok(text("state-ok").into()),
                None => one(responses, "confirm", &confirm, Some(STATE)),
            }
        }
        "multiple_inputs" => multiple(responses, state),
        "multi_round" => several_rounds(responses, state),
        "capabilities" => capabilities(context),
        _ => return None,
    })
}

fn name_question() -> Value {
    elicitation("What is your name?", "name", "string")
}

fn changed() -> ErrorData {
    ErrorData::invalid_params("the request state was changed", None)
}

/// Asks for one thing until it comes.
fn one(
    responses: Option<&InputResponses>,
    key: &str,
    request: &Value,
    state: Option<&str>,
) -> Response {
    match given(responses, key) {
        Some(response) => Ok(text(format!("Hello, {response}!")).into()),
        None => Ok(input(&json!({ key: request }), state)?.into()),
    }
}

fn multiple(responses: Option<&InputResponses>, state: Option<&str>) -> Response {
    let keys = ["user_name", "greeting", "client_roots"];
    if keys.iter().all(|key| given(responses, key).is_some()) {
        return match state {
            Some(STATE) => Ok(text("All came").into()),
            _ => Err(changed()),
        };
    }
    let requests = json!({
        "user_name": name_question(),
        "greeting": sampling("Generate a greeting"),
        "client_roots": roots(),
    });
    Ok(input(&requests, Some(STATE))?.into())
}

fn several_rounds(responses: Option<&InputResponses>, state: Option<&str>) -> Response {
    match state {
        Some("round-2") if given(responses, "step2").is_some() => Ok(text("Both came").into()),
        Some(STATE) if given(responses, "step1").is_some() => {
            let color = elicitation("Step 2: What is your favorite color?", "color", "string");
            Ok(input(&json!({ "step2": color }), Some("round-2"))?.into())
        }
        _ => {
            let name = elicitation("Step 1: What is your name?", "name", "string");
            Ok(input(&json!({ "step1": name }), Some(STATE))?.into())
        }
    }
}

/// Asks only what the client has declared.
fn capabilities(context: &RequestContext<RoleServer>) -> Response {
    let declared = context.client_capabilities().unwrap_or_default();
    let mut requests = json!({});
    if declared.elicitation.is_some() {
        requests["user_name"] = name_question();
    }
    if declared.sampling.is_some() {
        requests["greeting"] = sampling("Generate a greeting");
    }
    Ok(input(&requests, None)?.into())
}

/// The prompt that needs input.
pub(crate) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let responses = request.input_responses.as_ref();
    if let Some(response) = given(responses, "user_context") {
        let content = json!({ "type": "text", "text": format!("Context: {response}") });
        let result = json!({ "messages": [{ "role": "user", "content": content }] });
        return Ok(GetPromptResponse::Complete(complete(result)?));
    }
    let question = "What context should the prompt use?";
    let question = elicitation(question, "context", "string");
    Ok(input(&json!({ "user_context": question }), None)?.into())
}
