//! The one layer around every route. It sets the request's ID, its span in the log and its metrics, writes problems,
//! catches panics, and serves the proxy host by its name. It's a single layer because each layer costs every request.

use std::{
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::Arc,
};

use axum::{
    body::Body,
    extract::{Request, State},
    handler::Handler as _,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use futures_util::{FutureExt as _, future::CatchUnwind};
use http::{HeaderName, HeaderValue, Method, header, header::Entry};
use http_body::Body as _;
use stead::{Error, ErrorKind};
use stead_core::trace::TraceParent;
use tracing::{Instrument as _, Span, field};

use crate::{
    holding,
    metrics::{PROXY_HOST, PROXY_PATH},
    pages::{self, Language},
    problem::{self, Problem},
    proxy_host::Host,
    request_id::{RequestId, RequestIds, trace_parent},
    routes::Endpoint,
    state::ServerState,
};

/// The request's ID, in every response.
const REQUEST_ID: HeaderName = HeaderName::from_static("stead-request-id");
/// The same under the name that many clients know.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The settings of the layer, for all routes.
pub(crate) struct Around {
    state: ServerState,
    ids: RequestIds,
    /// Requests that name the proxy host go there, whatever their path.
    proxy_host: Option<(Host, Endpoint)>,
}

impl Around {
    pub(crate) fn new(state: &ServerState, proxy_host: Option<(Host, Endpoint)>) -> Self {
        Self {
            state: state.clone(),
            ids: RequestIds::new(state.environment.entropy()),
            proxy_host,
        }
    }
}

/// Responds to a request of this route, which is a path of the table or another name for the log and the metrics.
pub(crate) async fn enter(
    State((around, route)): State<(Arc<Around>, &'static str)>,
    request: Request,
    next: Next,
) -> Response {
    let around = around.as_ref();
    let proxy_host = around.proxy_host.as_ref();
    let proxy_host = proxy_host.filter(|(host, _)| host.is_named_by(&request));
    let route = proxy_host.map_or(route, |_| PROXY_HOST);
    enclose(around, route, request, |request| async move {
        match proxy_host {
            Some((_, endpoint)) => endpoint.clone().call(request, around.state.clone()).await,
            None => next.run(request).await,
        }
    })
    .await
}

/// Responds with `inner`, within the layer.
async fn enclose<F>(
    around: &Around,
    route: &'static str,
    mut request: Request,
    inner: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    request.extensions_mut().insert(around.ids.next());
    if let Some(parent) = trace_parent(request.headers()) {
        request.extensions_mut().insert(parent);
    }
    let span = span(&request, route, around.state.on_trace);
    let asked = Asked::of(&request);
    // Pinned here, because a function that takes a future by value stores it twice.
    let inner = pin!(AssertUnwindSafe(inner(request)).catch_unwind());
    let response = pin!(respond(around, &asked, route, inner, &span));
    if span.is_none() {
        return response.await;
    }
    let response = response.instrument(span.clone()).await;
    // The span lasts as long as the response's body.
    response.map(|body| holding::body(body, span.clone()))
}

/// The parts of a request that its response needs.
struct Asked {
    id: RequestId,
    method: Method,
    /// The language of the page that a browser gets for a problem.
    language: Option<Language>,
}

impl Asked {
    fn of(request: &Request) -> Self {
        let headers = request.headers();
        Self {
            id: RequestId::of(request.extensions()),
            method: request.method().clone(),
            language: pages::is_browser(headers).then(|| Language::of(headers)),
        }
    }
}

/// A pending response, or a panic.
type Inner<'i, F> = Pin<&'i mut CatchUnwind<AssertUnwindSafe<F>>>;

/// The span has the route and not the path, because paths contain link secrets, users' identifiers and products' IDs.
fn span(request: &Request, route: &str, on_trace: Option<fn(&Span, TraceParent)>) -> Span {
    let extensions = request.extensions();
    let parent = extensions.get::<TraceParent>();
    let span = tracing::info_span!(
        "request",
        request_id = extensions.get::<RequestId>().map(field::display),
        trace_id = parent.map(|parent| field::display(parent.trace_id)),
        method = %request.method(),
        route,
        status = field::Empty,
        micros = field::Empty,
    );
    if let (Some(parent), Some(on_trace)) = (parent, on_trace) {
        on_trace(&span, *parent);
    }
    span
}

/// Counts the request, writes a problem as JSON for programs or as a page for a browser, and adds the request's ID to
/// every response. The time is measured from the request's head to the response's head.
async fn respond(
    around: &Around,
    asked: &Asked,
    route: &'static str,
    inner: Inner<'_, impl Future<Output = Response>>,
    span: &Span,
) -> Response {
    let state = &around.state;
    let runtime = state.environment.runtime();
    let began = runtime.monotonic();
    let response = inner.await.unwrap_or_else(|_| panicked());
    let is_proxied = [PROXY_PATH, PROXY_HOST].contains(&route);
    let response = write_problem(state, asked, is_proxied, response);
    let took = runtime.monotonic().saturating_sub(began);
    state
        .requests
        .responded(route, &asked.method, response.status(), took);
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    span.record("status", response.status().as_u16())
        .record("micros", micros);
    tracing::info!("responded");
    response
}

fn write_problem(
    state: &ServerState,
    asked: &Asked,
    is_proxied: bool,
    mut response: Response,
) -> Response {
    let (id, language) = (asked.id, asked.language);
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        problem::report(&problem.error);
        state.requests.failed(problem.error.kind());
        let page = language.map(|language| state.pages.problem(language, &problem.error, id));
        let written = problem.write(id, is_proxied);
        replace(&mut response, written);
        if let Some(page) = page {
            replace(&mut response, page);
        }
        if asked.method == Method::HEAD {
            without_body(&mut response);
        }
    }
    let text = id.text();
    let value = || HeaderValue::from_str(&text).ok();
    let headers = response.headers_mut();
    // A product's own header stays.
    if let Entry::Vacant(entry) = headers.entry(X_REQUEST_ID)
        && let Some(value) = value()
    {
        entry.insert(value);
    }
    headers.extend(value().map(|value| (REQUEST_ID, value)));
    response
}

/// Replaces a response. Headers that the new one doesn't have, such as `Allow` and `Retry-After`, are kept.
fn replace(response: &mut Response, by: Response) {
    let mut before = std::mem::replace(response, by);
    before.headers_mut().remove(header::CONTENT_LENGTH);
    for (name, value) in before.headers() {
        if !response.headers().contains_key(name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
}

/// Removes the body and keeps its length, for a response to HEAD.
fn without_body(response: &mut Response) {
    if let Some(length) = response.body().size_hint().exact() {
        response
            .headers_mut()
            .insert(header::CONTENT_LENGTH, length.into());
    }
    *response.body_mut() = Body::empty();
}

/// The panic's text is neither in the response nor in the log, because it may quote anything.
fn panicked() -> Response {
    Problem::from(Error::new(
        ErrorKind::Internal,
        "an error in Stead; look for the request's ID in the log of this environment",
    ))
    .into_response()
}
