//! The JSON interface of an application. A folder is a resource, a file is a verb.

mod accounts;
mod authorization_links;
mod authorizations;
mod connections;
mod healthz;
mod proxy;
mod readyz;
mod tools;

use axum::{
    Router,
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use stead::{Error, ErrorKind};

use crate::{ServerState, problem::Answer};

pub(crate) fn routes() -> Router<ServerState> {
    Router::new()
        .route("/healthz", get(healthz::show))
        .route("/readyz", get(readyz::show))
        .route(
            "/v1/connections",
            get(connections::list).post(connections::create),
        )
        .route(
            "/v1/connections/{connection_name}",
            get(connections::read)
                .patch(connections::change)
                .delete(connections::delete),
        )
        .route("/v1/authorization-links", post(authorization_links::create))
        .route(
            "/v1/authorizations/{authorization_id}/verify",
            post(authorizations::verify),
        )
        .route("/v1/accounts", get(accounts::list))
        .route(
            "/v1/accounts/{connection_name}/{identifier}",
            get(accounts::read).delete(accounts::disconnect),
        )
        .route(
            "/v1/accounts/{connection_name}/{identifier}/suspend",
            post(accounts::suspend),
        )
        .route(
            "/v1/accounts/{connection_name}/{identifier}/resume",
            post(accounts::resume),
        )
        .route(
            "/v1/accounts/{connection_name}/{identifier}/refresh",
            post(accounts::refresh),
        )
        .route("/v1/tools", get(tools::list))
        .route("/v1/tools/{name}", get(tools::read))
        .route("/v1/tools/{name}/execute", post(tools::execute))
        .route("/v1/proxy", post(proxy::json))
        .route(
            "/proxy/{connection_name}/{identifier}",
            any(proxy::streaming),
        )
        .route(
            "/proxy/{connection_name}/{identifier}/",
            any(proxy::streaming),
        )
        .route(
            "/proxy/{connection_name}/{identifier}/{*path}",
            any(proxy::streaming),
        )
}

/// A value as JSON. What an application reads here concerns its users: no cache keeps it.
fn json<T: Serialize>(status: StatusCode, value: &T) -> Answer {
    json_with_capacity(status, value, 256)
}

/// As [`json`], for a value whose size is about known: the text is written into one buffer that need not grow.
fn json_with_capacity<T: Serialize>(status: StatusCode, value: &T, capacity: usize) -> Answer {
    let mut body = Vec::with_capacity(capacity);
    serde_json::to_writer(&mut body, value).map_err(|error| {
        Error::new(ErrorKind::Internal, "the answer cannot be written as JSON").with_source(error)
    })?;
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Done, and nothing to say about it.
fn nothing() -> Answer {
    Ok::<Response, _>(StatusCode::NO_CONTENT.into_response())
}
