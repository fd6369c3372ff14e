//! The two OAuth roles: authorization server to applications (`/oauth/token`), client to products (the callback).

mod callback;
#[cfg(test)]
mod tests;
mod token;

pub(crate) use callback::leave_callback;

use crate::routes::{Route, get, post};

/// The authorization server's.
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

/// Where a user comes back to from a product.
pub(crate) fn callback_routes() -> Vec<Route> {
    let path = "/sso/v1/oauth/{connection_id}/callback";
    vec![
        get(path, callback::finish),
        // For `curl -X POST -L`, which keeps its method on the way. What counts is the query.
        post(path, callback::finish),
    ]
}
