//! What the end user sees: the page behind an authorization link, and how it ended.

mod cookie;
mod done;
mod failed;
mod same_origin;
mod show;
mod start;
#[cfg(test)]
mod tests;

use axum::{Router, routing::get};

pub(crate) use cookie::Cookie;

use crate::ServerState;

pub(crate) fn routes() -> Router<ServerState> {
    Router::new()
        // POST as well, for `curl -X POST -L`, which keeps its method on the way.
        .route("/connect/done", get(done::show).post(done::show))
        .route("/connect/failed", get(failed::show).post(failed::show))
        .route("/connect/{token}", get(show::show).post(start::start))
}
