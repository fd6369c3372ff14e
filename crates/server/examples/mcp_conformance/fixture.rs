//! The handler that the suite expects: tools, prompts and resources with fixed names. Constant content is in
//! `fixture.json`.

#![expect(
    deprecated,
    reason = "the suite asks for what the newer revision has deprecated"
)]

use std::{sync::Arc, time::Duration};

use rmcp::{ErrorData, RoleServer, ServerHandler, model::*, service::RequestContext};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use crate::rounds;

/// Between two notifications.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone)]
pub(crate) struct Fixture(Arc<Data>);

#[derive(Deserialize)]
struct Data {
    tools: Vec<Tool>,
    /// Results of tools that respond the same each time.
    results: Map<String, Value>,
    /// What tools ask the user, by tool.
    elicitations: Map<String, Value>,
    prompts: Vec<Prompt>,
    resources: Vec<Resource>,
    contents: Map<String, Value>,
}

impl Fixture {
    pub(crate) fn read() -> Result<Self, serde_json::Error> {
        let data = serde_json::from_str(include_str!("fixture.json"))?;
        Ok(Self(Arc::new(data)))
    }
}

pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| internal(&error))
}

/// A result that is complete.
pub(crate) fn complete<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = json!("complete");
    read(value)
}

fn internal(error: &dyn std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

pub(crate) fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn unknown(what: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no {what}"), None)
}

fn argument<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> InitializeResult {
        let capabilities = json!({
            "tools": {}, "prompts": {}, "resources": { "subscribe": true }, "completions": {}, "logging": {},
        });
        InitializeResult::new(read(capabilities).unwrap_or_default())
    }

    /// In the newer revision, subscriptions are another request, which is not played here.
    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        if let Some(resources) = &mut info.capabilities.resources {
            resources.subscribe = None;
        }
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        if let Some(response) = rounds::respond(name, &request, &context) {
            return response;
        }
        if let Some(result) = self.0.results.get(name) {
            return Ok(complete::<CallToolResult>(result.clone())?.into());
        }
        let arguments = request.arguments.unwrap_or_default();
        if let Some(asked) = self.0.elicitations.get(name) {
            let mut params = asked.clone();
            if name == "test_elicitation" {
                params["message"] = json!(argument(&arguments, "message"));
            }
            return elicit(params, &context).await.map(Into::into);
        }
        let result = match name {
            "test_tool_with_logging" => log(&context).await,
            "test_logging_tool" if context.meta.log_level().is_none() => text("Logged nothing"),
            "test_logging_tool" => log(&context).await,
            "test_tool_with_progress" => progress(&context).await,
            "test_sampling" => sample(argument(&arguments, "prompt"), &context).await?,
            "test_missing_capability" => missing_capability(&context)?,
            _ => return Err(unknown("tool with this name")),
        };
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(self.0.prompts.clone()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == "test_input_required_result_prompt" {
            return rounds::prompt(&request);
        }
        let arguments = request.arguments.unwrap_or_default();
        let Some(result) = self.0.contents.get(&request.name) else {
            return Err(unknown("prompt with this name"));
        };
        let mut written = result.to_string();
        for (name, value) in &arguments {
            written = written.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default());
        }
        let result = serde_json::from_str(&written).map_err(|error| internal(&error))?;
        Ok(complete::<GetPromptResult>(result)?.into())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        complete(
            json!({ "completion": { "values": ["paris", "park"], "total": 2, "hasMore": false } }),
        )
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(
            self.0.resources.clone(),
        ))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        complete(json!({ "resourceTemplates": [{
            "uriTemplate": "test://template/{id}/data", "name": "template", "description": "Data by id.",
            "mimeType": "application/json",
        }] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri
            .strip_prefix("test://template/")
            .and_then(|rest| rest.strip_suffix("/data"));
        let content = match (self.0.contents.get(uri), id) {
            (Some(content), _) => content.clone(),
            (None, Some(id)) => {
                let data = format!("Data for ID: {id}");
                let data = json!({ "id": id, "templateTest": true, "data": data }).to_string();
                json!({ "uri": uri, "mimeType": "application/json", "text": data })
            }
            (None, None) => {
                let data = Some(json!({ "uri": uri }));
                return Err(ErrorData::resource_not_found("Resource not found", data));
            }
        };
        let result: ReadResourceResult = complete(json!({ "contents": [content] }))?;
        Ok(result.into())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}

async fn log(context: &RequestContext<RoleServer>) -> CallToolResult {
    for message in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        let logged = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
        let _ = context.peer.notify_logging_message(logged).await;
        tokio::time::sleep(PAUSE).await;
    }
    text("Logged three messages")
}

async fn progress(context: &RequestContext<RoleServer>) -> CallToolResult {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let done = ProgressNotificationParam::new(token, done).with_total(100.0);
            let _ = context.peer.notify_progress(done).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
    text("Done")
}

async fn sample(
    prompt: &str,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let asked = read(json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
        "maxTokens": 100,
    }))?;
    let sampled = context.peer.create_message(asked).await;
    let sampled = sampled.map_err(|error| internal(&error))?;
    let sampled = serde_json::to_value(sampled).map_err(|error| internal(&error))?;
    let response = &sampled["content"];
    let response = response["text"].as_str().or(response[0]["text"].as_str());
    Ok(text(format!(
        "LLM response: {}",
        response.unwrap_or_default()
    )))
}

async fn elicit(
    params: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(read(params)?));
    let response = context.peer.send_request(request).await;
    let response = response.map_err(|error| internal(&error))?;
    let response = serde_json::to_value(response).map_err(|error| internal(&error))?;
    let (action, content) = (&response["action"], &response["content"]);
    let action = action.as_str().unwrap_or_default();
    Ok(text(format!(
        "User response: action={action}, content={content}"
    )))
}

/// Needs sampling.
fn missing_capability(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let declared = context.client_capabilities();
    if declared.is_some_and(|declared| declared.sampling.is_some()) {
        return Ok(text("The capability is there"));
    }
    let needed = read(json!({ "sampling": {} }))?;
    Err(ErrorData::missing_required_client_capability(needed))
}
