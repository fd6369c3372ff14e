//! The parts of an application's JSON interface that aren't operations. A folder is a resource, a file is a verb.

mod events;
mod files;
mod healthz;
pub(crate) mod proxy;
mod readyz;
mod tool_calls;
pub(crate) mod tools;

use stead::ErrorKind::{
    self, DeadlineExceeded, InvalidRequest, NotFound, Overloaded, StorageUnavailable,
    UnknownConnection, UnknownTool, UnsupportedVersion,
};
use stead_core::scope::ScopeName;

use crate::routes::{ForApplications, Route, any, get, post};

/// The routes that an application calls with its token, and the scope of each.
pub(crate) fn routes() -> Vec<ForApplications> {
    use ScopeName::{EventsRead, ProxyRead, ToolsExecute};
    vec![
        get("/v1/events", events::list)
            .summary(
                "list",
                "Reads the feed of events, as a page or as a stream.",
            )
            .query(&[events::FILTER])
            .errors(&[UnknownConnection])
            .describe(events::describe)
            .needs(EventsRead),
        get("/v1/tools", tools::list)
            .summary("list", "Lists all tools in their newest version.")
            .describe(tools::describe)
            .query(&[tools::FILTER])
            .errors(&[UnknownConnection])
            .needs_no_scope(),
        get("/v1/tools/{name}", tools::read)
            .summary("read", "Reads a tool.")
            .describe(tools::describe_one)
            .query(&[tools::VERSION])
            .errors(&[UnknownTool, UnsupportedVersion])
            .needs_no_scope(),
        post("/v1/tools/{name}/execute", tools::execute)
            .summary("execute", "Runs a tool as a user.")
            .describe(tools::execute::describe)
            .calls()
            .needs(ToolsExecute),
        get("/v1/files/{handle}", files::read)
            .summary(
                "read",
                "Reads a file or an omitted part of a result, or a range of it.",
            )
            .errors(&[NotFound, ErrorKind::RangeNotSatisfiable])
            .calls()
            .describe(files::describe)
            .needs(ToolsExecute),
        post("/v1/tool-calls", tool_calls::run)
            .summary("run", "Executes a model's tool calls.")
            .describe(tool_calls::describe)
            .errors(&[DeadlineExceeded])
            .needs(ToolsExecute),
        // Requests that can change something need `proxy:write`, which includes this scope.
        post("/v1/proxy", proxy::json)
            .summary("json", "Sends a raw request as a user.")
            .calls()
            .describe(proxy::describe)
            .needs(ProxyRead),
    ]
}

/// A product's own API, for applications and account tokens. Requests that can change something need `proxy:write`.
pub(crate) fn proxy_routes() -> Vec<ForApplications> {
    use ScopeName::ProxyRead;
    vec![
        any("/proxy/{connection_name}/{identifier}", proxy::streaming).needs(ProxyRead),
        any("/proxy/{connection_name}/{identifier}/", proxy::streaming).needs(ProxyRead),
        any(
            "/proxy/{connection_name}/{identifier}/{*path}",
            proxy::streaming,
        )
        .needs(ProxyRead),
    ]
}

/// Routes for operators and their machines, without a token.
pub(crate) fn health_routes() -> Vec<Route> {
    vec![
        get("/healthz", healthz::show)
            .summary("healthz", "Checks that the process responds.")
            .describe(healthz::describe),
        get("/readyz", readyz::show)
            .summary("readyz", "Checks whether the process can handle calls.")
            .describe(healthz::describe)
            .query(&[readyz::QUERY])
            .errors(&[InvalidRequest, StorageUnavailable, Overloaded]),
    ]
}
