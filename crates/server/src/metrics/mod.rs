//! The service's metrics in Prometheus's text format. They have a listener of their own, because reading them needs no
//! token.

mod process;
mod requests;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    response::{IntoResponse as _, Response},
    routing::get,
};
use http::header;
use jiff::Timestamp;
use stead_core::{environment::Environment, metrics::Family};

pub(crate) use requests::{NO_ROUTE, PROXY_HOST, PROXY_PATH, Requests};

use crate::admission::InFlight;

/// Version 0.0.4 of the text format. Every monitoring system reads it.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The sources of the metrics.
#[derive(Clone)]
pub(crate) struct Shown {
    pub(crate) environment: Environment,
    pub(crate) requests: Arc<Requests>,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) started_at: Timestamp,
}

/// `GET /metrics`, and nothing else.
pub(crate) fn router(shown: Shown) -> Router {
    Router::new().route("/metrics", get(show)).with_state(shown)
}

async fn show(State(shown): State<Shown>) -> Response {
    let mut all = shown.environment.metrics().await;
    all.extend(shown.requests.families());
    let (under_way, most) = shown.in_flight.under_way();
    all.extend([
        Family::gauge(
            "stead_http_requests_in_flight",
            "Running requests, including those whose response is still being sent.",
        )
        .number([], under_way as f64),
        Family::gauge(
            "stead_http_requests_in_flight_limit",
            "Maximum number of running requests. Stead rejects more.",
        )
        .number([], most as f64),
        Family::gauge("stead_build_info", "Version of this binary.")
            .number([("version", env!("CARGO_PKG_VERSION"))], 1.0),
    ]);
    all.extend(process::families(shown.started_at));
    ([(header::CONTENT_TYPE, FORMAT)], text::written(&all)).into_response()
}
