//! Handles the protocol's messages: the server's description, its tools, and their calls.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
        Implementation, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities,
    },
    service::RequestContext,
};
use stead_core::environment::Environment;

use super::{call, client::Client, links::Links, results::protocol_error, tools};

/// Instructions for a model about all tools together.
const INSTRUCTIONS: &str = "These tools act as one user at products such as mail or a calendar. If the list has \
    stead_search_tools, it finds more tools. If the user needs to authorize first, a tool responds with a link. Show it \
    to the user, and call the tool again when the user has opened it.";
/// How long a client may cache a list of tools.
const TTL_MS: u64 = 60_000;

/// Methods that this server doesn't have.
macro_rules! no_methods {
    ($($name:ident($request:ty) -> $result:ty: $method:literal;)*) => {$(
        async fn $name(
            &self,
            _: $request,
            _: RequestContext<RoleServer>,
        ) -> Result<$result, ErrorData> {
            Err(no_method($method))
        }
    )*};
}

/// The tools of an environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    pub(super) links: Arc<Links>,
}

impl ServerHandler for Tools {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = InitializeResult::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info =
            Implementation::new("stead", env!("CARGO_PKG_VERSION")).with_title("Stead");
        info
    }

    no_methods! {
        complete(CompleteRequestParams) -> CompleteResult: "completion/complete";
        get_prompt(GetPromptRequestParams) -> GetPromptResponse: "prompts/get";
        list_prompts(Option<PaginatedRequestParams>) -> ListPromptsResult: "prompts/list";
        list_resources(Option<PaginatedRequestParams>) -> ListResourcesResult: "resources/list";
        list_resource_templates(Option<PaginatedRequestParams>) -> ListResourceTemplatesResult: "resources/templates/list";
        read_resource(ReadResourceRequestParams) -> ReadResourceResponse: "resources/read";
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(no_method(&request.method))
    }

    /// All tools on one page. They depend on the session and not on the client.
    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let message = "tools/list has only one page, so leave out the cursor";
            return Err(ErrorData::invalid_params(message, None));
        }
        let environment = environment(&context)?;
        let offer = environment.mcp_offer().await.map_err(protocol_error)?;
        let tools = tools::list(&offer).map_err(protocol_error)?;
        let mut list = ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS);
        list.cache_scope = Some(CacheScope::Private);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let environment = environment(&context)?;
        let client = Client::of(&context);
        let call = call::call(&environment, &self.links, request, &client);
        // If the client disconnects or cancels, a read is cancelled too. A call that changes something continues.
        tokio::select! {
            response = call => response,
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }
}

/// The error for a method that this server doesn't have.
fn no_method(name: &str) -> ErrorData {
    let message = format!("Stead doesn't support the method {name}; use tools/list and tools/call");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// The environment for the session of the request's token.
fn environment(context: &RequestContext<RoleServer>) -> Result<Environment, ErrorData> {
    let parts = context.extensions.get::<http::request::Parts>();
    let acting = parts.and_then(|parts| parts.extensions.get::<Environment>());
    acting
        .cloned()
        .ok_or_else(|| ErrorData::internal_error("the request has no session", None))
}
