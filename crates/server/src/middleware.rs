//! The one layer around every request. It sets the request's ID and its span in the log, writes problems, and catches
//! panics. It's a single layer because each layer of a router costs every request.

use std::{
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::Arc,
};

use axum::{
    Router,
    extract::{MatchedPath, Request},
    response::{IntoResponse as _, Response},
    routing::Route,
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
    layer::{self, layer},
    metrics::{PROXY_HOST, PROXY_PATH, Requests},
    pages::{self, Language, Pages},
    problem::{self, Problem},
    request_id::{RequestId, RequestIds, trace_parent},
};

/// The request's ID, in every response.
const REQUEST_ID: HeaderName = HeaderName::from_static("stead-request-id");
/// The same under the name that many clients know.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The settings of the layer.
pub(crate) struct Around {
    pub(crate) environment: Environment,
    pub(crate) pages: Arc<Pages>,
    pub(crate) requests: Arc<Requests>,
    pub(crate) ids: RequestIds,
    /// The label of requests without a route.
    pub(crate) otherwise: &'static str,
    pub(crate) on_trace: Option<fn(&Span, TraceParent)>,
}

/// The router with this layer around each route and around the fallback.
pub(crate) fn surround(router: Router, around: Around) -> Router {
    router.layer(layer(Arc::new(around), enter))
}

async fn enter(around: Arc<Around>, request: Request, inner: Route) -> Response {
    let route = request.extensions().get().cloned();
    enclose(&around, request, route, |request| {
        layer::respond(inner, request)
    })
    .await
}

/// Responds to a request within the layer. `route` is the matched route, if a router found one.
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
    // Pinned here, because a function that takes a future by value stores it twice.
    let inner = pin!(AssertUnwindSafe(inner(request)).catch_unwind());
    let response = pin!(respond(around, &asked, &route, inner, &span));
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

/// The label of a request.
struct Counted(Option<MatchedPath>, &'static str);

impl Counted {
    fn path(&self) -> &str {
        self.0.as_ref().map_or(self.1, MatchedPath::as_str)
    }
}

/// The span has the route and not the path, because paths contain link secrets, users' identifiers and products' IDs.
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

/// Counts the request, writes a problem as JSON for programs or as a page for a browser, and adds the request's ID to
/// every response. The time is measured from the request's head to the response's head.
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

/// The panic's text is neither in the response nor in the log, because it may quote anything.
fn panicked() -> Response {
    Problem::from(Error::new(
        ErrorKind::Internal,
        "an error in Stead; look for the request's ID in the log of this environment",
    ))
    .into_response()
}
