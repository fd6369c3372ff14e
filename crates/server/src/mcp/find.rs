//! Three tools that reach those outside a session's list: search, describe and execute.

use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject};
use serde_json::Value;
use stead::{Error, ErrorKind};
use stead_core::{
    catalogue::{DESCRIBE_TOOL, DescribeTool, EXECUTE_TOOL, MetaCall, SEARCH_TOOLS, SearchTools},
    environment::Environment,
};

use super::{results, tools};

/// If the call executes another tool by its name, that tool's call.
pub(super) fn executed(request: &mut CallToolRequestParams) -> Result<(), Error> {
    if request.name != EXECUTE_TOOL {
        return Ok(());
    }
    let input = Value::Object(request.arguments.take().unwrap_or_default());
    if let Some(MetaCall::Execute(asked)) = MetaCall::read(EXECUTE_TOOL, input).transpose()? {
        request.name = asked.name.into();
        request.arguments = Some(asked.input);
    }
    Ok(())
}

/// The result of a search or a description. `None` if the name is another tool's.
pub(super) async fn call(
    environment: &Environment,
    name: &str,
    arguments: &JsonObject,
) -> Option<CallToolResult> {
    if name != SEARCH_TOOLS && name != DESCRIBE_TOOL {
        return None;
    }
    let found = match MetaCall::read(name, Value::Object(arguments.clone()))? {
        Ok(MetaCall::Search(asked)) => search(environment, &asked).await,
        Ok(MetaCall::Describe(asked)) => describe(environment, &asked).await,
        Ok(_) => return None,
        Err(error) => Err(error),
    };
    Some(match found {
        Ok(found) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(found.to_string())]);
            result.structured_content = Some(found);
            result
        }
        Err(error) => results::error(&error),
    })
}

async fn search(environment: &Environment, asked: &SearchTools) -> Result<Value, Error> {
    json(&environment.mcp_offer().await?.search(asked)?)
}

async fn describe(environment: &Environment, asked: &DescribeTool) -> Result<Value, Error> {
    let offer = environment.mcp_offer().await?;
    let tool = offer.tool(&asked.name)?;
    let mut described = tools::describe(tool, &offer)?;
    let mut details = environment.describe_tool(tool.entry().name())?;
    details.input_schema = described["inputSchema"].take();
    json(&details)
}

fn json<T: serde::Serialize>(found: &T) -> Result<Value, Error> {
    serde_json::to_value(found).map_err(|error| {
        Error::new(ErrorKind::Internal, "couldn't write the tools").with_source(error)
    })
}
