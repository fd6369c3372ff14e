//! What surrounds every request: its id, its span in the log, the writing of problems, and the end of a panic.

use std::{any::Any, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{MatchedPath, Request},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use http::HeaderMap;
use stead::{Error, ErrorKind, core::environment::Environment};
use tower::{ServiceBuilder, util::MapRequestLayer};
use tower_http::{catch_panic::CatchPanicLayer, trace::TraceLayer};
use tracing::{Span, field};

use crate::{
    problem::{self, Problem},
    request_id::{RequestId, RequestIds},
};

/// The router with all of this around each route, and around what no route takes.
pub(crate) fn surround(router: Router, environment: &Environment) -> Router {
    let ids = Arc::new(RequestIds::new(environment.entropy()));
    let give_id = move |mut request: Request| {
        request.extensions_mut().insert(ids.next());
        request
    };
    let trace = TraceLayer::new_for_http()
        .make_span_with(span)
        .on_request(())
        .on_response(log_response)
        .on_body_chunk(())
        .on_eos(())
        .on_failure(());
    router.layer(
        ServiceBuilder::new()
            .layer(MapRequestLayer::new(give_id))
            .layer(trace)
            .layer(middleware::from_fn(write_problem))
            .layer(CatchPanicLayer::custom(panicked)),
    )
}

/// The span names the route, not the path: paths hold link secrets, users' identifiers and products' ids.
fn span(request: &Request) -> Span {
    let extensions = request.extensions();
    tracing::info_span!(
        "request",
        request_id = extensions.get::<RequestId>().map(field::display),
        method = %request.method(),
        route = extensions.get::<MatchedPath>().map_or("none", MatchedPath::as_str),
        status = field::Empty,
        micros = field::Empty,
    )
}

/// The time is from a request's head to its response's head.
fn log_response<B>(response: &Response<B>, took: Duration, span: &Span) {
    span.record("status", response.status().as_u16()).record(
        "micros",
        u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
    );
    tracing::info!("responded");
}

async fn write_problem(request: Request, next: Next) -> Response {
    let id = RequestId::of(request.extensions());
    let mut response = next.run(request).await;
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return response;
    };
    problem::report(&problem.error);
    let mut written = problem.write(id);
    keep_headers(
        std::mem::take(response.headers_mut()),
        written.headers_mut(),
    );
    written
}

/// What the router or the problem said already, such as `Allow` and `Retry-After`.
fn keep_headers(from: HeaderMap, to: &mut HeaderMap) {
    for (name, value) in from {
        if let Some(name) = name.filter(|name| *name != http::header::CONTENT_LENGTH) {
            to.entry(name).or_insert(value);
        }
    }
}

/// The panic's own text stays out of the response and of the log: it may quote anything.
fn panicked(_: Box<dyn Any + Send>) -> Response {
    Problem::from(Error::new(
        ErrorKind::Internal,
        "an error in Stead; the log of this environment has more under the request's id",
    ))
    .into_response()
}
