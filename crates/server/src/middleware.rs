//! What surrounds every request: its id, its span in the log, the writing of problems, and the end of a panic.

use std::{any::Any, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{MatchedPath, Request, State},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use http::{HeaderName, HeaderValue, header, header::Entry};
use stead::{Error, ErrorKind, core::environment::Environment};
use tower::{ServiceBuilder, util::MapRequestLayer};
use tower_http::{catch_panic::CatchPanicLayer, trace::TraceLayer};
use tracing::{Span, field};

use crate::{
    pages::{self, Pages},
    problem::{self, Problem},
    request_id::{RequestId, RequestIds},
};

/// The id of the request, on every response.
const REQUEST_ID: HeaderName = HeaderName::from_static("stead-request-id");

/// The router with all of this around each route, and around what no route takes.
pub(crate) fn surround(router: Router, environment: &Environment, pages: Arc<Pages>) -> Router {
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
            .layer(middleware::from_fn_with_state(pages, write_problem))
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

/// Writes a problem as JSON for programs and as a page for a browser, and names the request in every response.
async fn write_problem(State(pages): State<Arc<Pages>>, request: Request, next: Next) -> Response {
    let id = RequestId::of(request.extensions());
    let language =
        pages::is_browser(request.headers()).then(|| pages::Language::of(request.headers()));
    let mut response = next.run(request).await;
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        problem::report(&problem.error);
        let page = language.map(|language| pages.problem(language, &problem.error, id));
        let written = problem.write(id);
        replace(&mut response, written);
        if let Some(page) = page {
            replace(&mut response, page);
        }
    }
    if let Ok(id) = HeaderValue::try_from(id.to_string()) {
        let headers = response.headers_mut();
        // That of a product stays.
        if let Entry::Vacant(entry) = headers.entry("x-request-id") {
            entry.insert(id.clone());
        }
        headers.insert(REQUEST_ID, id);
    }
    response
}

/// Puts another response in the place of one whose headers it does not repeat, such as `Allow` and `Retry-After`.
fn replace(response: &mut Response, by: Response) {
    let mut before = std::mem::replace(response, by);
    before.headers_mut().remove(header::CONTENT_LENGTH);
    for (name, value) in before.headers() {
        if !response.headers().contains_key(name) {
            response.headers_mut().insert(name, value.clone());
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
