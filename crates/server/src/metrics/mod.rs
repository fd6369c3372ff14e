//! What the service counts, in the text format of Prometheus: for a listener of its own, because whoever reads it needs no
//! token.

mod process;
mod requests;
#[cfg(test)]
mod tests;
mod text;

use axum::{
    Router,
    extract::State,
    response::{IntoResponse as _, Response},
    routing::get,
};
use http::header;
use stead::core::metrics::Family;

pub(crate) use requests::{NO_ROUTE, PROXY_HOST, Requests};

use crate::state::ServerState;

/// Version 0.0.4 of the text format, which every monitoring system reads.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `GET /metrics`, and nothing else.
pub(crate) fn router(state: ServerState) -> Router {
    Router::new().route("/metrics", get(show)).with_state(state)
}

async fn show(State(state): State<ServerState>) -> Response {
    let mut all = state.environment.metrics().await;
    all.extend(state.requests.families());
    let (under_way, most) = state.in_flight.under_way();
    all.extend([
        Family::gauge(
            "stead_http_requests_in_flight",
            "Requests under way, until the end of their responses' bodies.",
        )
        .number([], under_way as f64),
        Family::gauge(
            "stead_http_requests_in_flight_limit",
            "Most requests under way; the next one is refused.",
        )
        .number([], most as f64),
        Family::gauge("stead_build_info", "The version of this binary.")
            .number([("version", env!("CARGO_PKG_VERSION"))], 1.0),
    ]);
    all.extend(process::families(state.started_at));
    ([(header::CONTENT_TYPE, FORMAT)], text::written(&all)).into_response()
}
