//! Stead's two OAuth roles: authorization server for applications (`/oauth/token`), and client of products (the
//! callback).

mod callback;
mod token;

pub(crate) use callback::leave_callback;

use crate::routes::{Route, get, post};

/// The authorization server's routes.
pub(crate) fn token_routes() -> Vec<Route> {
    vec![
        post("/oauth/token", token::issue)
            .summary(
                "issue",
                "Issues a bearer token for an application's client ID and secret.",
            )
            .describe(token::describe),
    ]
}

/// The routes to which a user returns from a product.
pub(crate) fn callback_routes() -> Vec<Route> {
    let path = "/sso/v1/oauth/{connection_id}/callback";
    vec![
        get(path, callback::finish),
        // For `curl -X POST -L`, which keeps its method when it's redirected. Only the query counts.
        post(path, callback::finish),
    ]
}
