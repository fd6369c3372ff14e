//! The two OAuth roles: authorization server to applications (`/oauth/token`), client to products (the callback).

mod callback;
#[cfg(test)]
mod tests;
mod token;

use axum::{
    Router,
    routing::{get, post},
};

use crate::ServerState;

pub(crate) fn routes() -> Router<ServerState> {
    Router::new()
        .route("/oauth/token", post(token::issue))
        // POST as well, for `curl -X POST -L`, which keeps its method on the way. What counts is the query.
        .route(
            "/sso/v1/oauth/{connection_id}/callback",
            get(callback::finish).post(callback::finish),
        )
}
