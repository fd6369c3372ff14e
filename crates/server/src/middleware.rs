//! What surrounds every request: its id, its span in the log, the writing of problems, and the end of a panic. Each layer of
//! a router costs every request, so this is one.

use std::{
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::Arc,
};

use axum::{
    Router,
    extract::{MatchedPath, Request, State},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use futures_util::{FutureExt as _, future::CatchUnwind};
use http::{HeaderName, HeaderValue, Method, header, header::Entry};
use stead::{
    Error, ErrorKind,
    core::{environment::Environment, trace::TraceParent},
};
use tracing::{Instrument as _, Span, field};

use crate::{
    holding,
    metrics::{PROXY_HOST, PROXY_PATH, Requests},
    pages::{self, Language, Pages},
    problem::{self, Problem},
    request_id::{RequestId, RequestIds, trace_parent},
};

/// The id of the request, on every response.
const REQUEST_ID: HeaderName = HeaderName::from_static("stead-request-id");
/// The same by the name that many clients know.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What is around every request of a router.
pub(crate) struct Around {
    pub(crate) environment: Environment,
    pub(crate) pages: Arc<Pages>,
    pub(crate) requests: Arc<Requests>,
    pub(crate) ids: RequestIds,
    /// What a request counts as that has no route's template.
    pub(crate) otherwise: &'static str,
    pub(crate) on_trace: Option<fn(&Span, TraceParent)>,
}

/// The router with all of this around each route, and around what no route takes.
pub(crate) fn surround(router: Router, around: Around) -> Router {
    router.layer(from_fn_with_state(Arc::new(around), enter))
}

async fn enter(State(around): State<Arc<Around>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get().cloned();
    enclose(&around, request, route, |request| next.run(request)).await
}

/// Responds to a request with all of this around. `route` is the one that takes the request, where it is one of a router.
pub(crate) async fn enclose<F>(
    around: &Around,
    mut request: Request,
    route: Option<MatchedPath>,
    inner: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    request.extensions_mut().insert(around.ids.next());
    if let Some(parent) = trace_parent(request.headers()) {
        request.extensions_mut().insert(parent);
    }
    let route = Counted(route, around.otherwise);
    let span = span(&request, &route, around.on_trace);
    let asked = Asked::of(&request);
    // Pinned here, for what takes a future by value has it twice.
    let inner = pin!(AssertUnwindSafe(inner(request)).catch_unwind());
    let response = pin!(respond(around, &asked, &route, inner, &span));
    if span.is_none() {
        return response.await;
    }
    let response = response.instrument(span.clone()).await;
    // It lasts as long as the response's body.
    response.map(|body| holding::body(body, span.clone()))
}

/// What is needed of a request for its response.
struct Asked {
    id: RequestId,
    method: Method,
    /// Of the page that a browser gets where there is a problem.
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

/// A response on its way, or a panic.
type Inner<'i, F> = Pin<&'i mut CatchUnwind<AssertUnwindSafe<F>>>;

/// What a request counts as.
struct Counted(Option<MatchedPath>, &'static str);

impl Counted {
    fn path(&self) -> &str {
        self.0.as_ref().map_or(self.1, MatchedPath::as_str)
    }
}

/// The span names the route, not the path: paths hold link secrets, users' identifiers and products' ids.
fn span(request: &Request, route: &Counted, on_trace: Option<fn(&Span, TraceParent)>) -> Span {
    let extensions = request.extensions();
    let parent = extensions.get::<TraceParent>();
    let span = tracing::info_span!(
        "request",
        request_id = extensions.get::<RequestId>().map(field::display),
        trace_id = parent.map(|parent| field::display(parent.trace_id)),
        method = %request.method(),
        route = route.path(),
        status = field::Empty,
        micros = field::Empty,
    );
    if let (Some(parent), Some(on_trace)) = (parent, on_trace) {
        on_trace(&span, *parent);
    }
    span
}

/// Counts the request, writes a problem as JSON for programs and as a page for a browser, and names the request in every
/// response. The time is from a request's head to its response's head.
async fn respond(
    around: &Around,
    asked: &Asked,
    route: &Counted,
    inner: Inner<'_, impl Future<Output = Response>>,
    span: &Span,
) -> Response {
    let runtime = around.environment.runtime();
    let began = runtime.monotonic();
    let response = inner.await.unwrap_or_else(|_| panicked());
    let is_proxied = [PROXY_PATH, PROXY_HOST].contains(&route.path());
    let response = write_problem(around, asked, is_proxied, response);
    let took = runtime.monotonic().saturating_sub(began);
    around
        .requests
        .responded(route.path(), &asked.method, response.status(), took);
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    span.record("status", response.status().as_u16())
        .record("micros", micros);
    tracing::info!("responded");
    response
}

fn write_problem(
    around: &Around,
    asked: &Asked,
    is_proxied: bool,
    mut response: Response,
) -> Response {
    let (id, language) = (asked.id, asked.language);
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        problem::report(&problem.error);
        around.requests.failed(problem.error.kind());
        let page = language.map(|language| around.pages.problem(language, &problem.error, id));
        let written = problem.write(id, is_proxied);
        replace(&mut response, written);
        if let Some(page) = page {
            replace(&mut response, page);
        }
    }
    let text = id.text();
    let value = || HeaderValue::from_str(&text).ok();
    let headers = response.headers_mut();
    // That of a product stays.
    if let Entry::Vacant(entry) = headers.entry(X_REQUEST_ID)
        && let Some(value) = value()
    {
        entry.insert(value);
    }
    headers.extend(value().map(|value| (REQUEST_ID, value)));
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
fn panicked() -> Response {
    Problem::from(Error::new(
        ErrorKind::Internal,
        "an error in Stead; look for the request's ID in the log of this environment",
    ))
    .into_response()
}
