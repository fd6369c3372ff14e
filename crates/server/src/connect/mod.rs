//! The pages that end users see: behind an authorization link, and after it.

mod again;
mod cancelled;
mod connected;
mod cookie;
mod done;
mod failed;
pub(crate) mod same_origin;
mod show;
mod start;
#[cfg(test)]
mod tests;

pub(crate) use connected::set as connected;
pub(crate) use cookie::Cookie;

use crate::routes::{Route, get, post};

/// The routes that a user's browser opens.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        get("/connect/cancelled", cancelled::show),
        get("/connect/done", done::show),
        get("/connect/failed", failed::show),
        // For `curl -X POST -L`, which keeps its method when it's redirected.
        post("/connect/done", done::show),
        post("/connect/failed", failed::show),
        get("/connect/{token}", show::show),
        post("/connect/again/{authorization_id}", again::start),
        post("/connect/{token}", start::start),
    ]
}
