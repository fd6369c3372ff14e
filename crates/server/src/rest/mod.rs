//! The JSON interface of an application. A folder is a resource, a file is a verb.

mod accounts;
mod authorization_links;
mod authorizations;
mod connections;
mod healthz;
mod proxy;
mod readyz;
mod tools;

use crate::routes::{Route, any, delete, get, patch, post};

/// What an application calls, with its token.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        get("/v1/connections", connections::list),
        post("/v1/connections", connections::create),
        get("/v1/connections/{connection_name}", connections::read),
        patch("/v1/connections/{connection_name}", connections::change),
        delete("/v1/connections/{connection_name}", connections::delete),
        post("/v1/authorization-links", authorization_links::create),
        post(
            "/v1/authorizations/{authorization_id}/verify",
            authorizations::verify,
        ),
        get("/v1/accounts", accounts::list),
        get(
            "/v1/accounts/{connection_name}/{identifier}",
            accounts::read,
        ),
        delete(
            "/v1/accounts/{connection_name}/{identifier}",
            accounts::disconnect,
        ),
        post(
            "/v1/accounts/{connection_name}/{identifier}/suspend",
            accounts::suspend,
        ),
        post(
            "/v1/accounts/{connection_name}/{identifier}/resume",
            accounts::resume,
        ),
        post(
            "/v1/accounts/{connection_name}/{identifier}/refresh",
            accounts::refresh,
        ),
        get("/v1/tools", tools::list),
        get("/v1/tools/{name}", tools::read),
        post("/v1/tools/{name}/execute", tools::execute),
        post("/v1/proxy", proxy::json),
        any("/proxy/{connection_name}/{identifier}", proxy::streaming),
        any("/proxy/{connection_name}/{identifier}/", proxy::streaming),
        any(
            "/proxy/{connection_name}/{identifier}/{*path}",
            proxy::streaming,
        ),
    ]
}

/// What operators and their machines ask, without a token.
pub(crate) fn health_routes() -> Vec<Route> {
    vec![get("/healthz", healthz::show), get("/readyz", readyz::show)]
}
