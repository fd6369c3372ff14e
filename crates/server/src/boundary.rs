//! What surrounds every request: its id, its span, the writing of problems, and the end of a panic.

use std::{
    any::Any,
    convert::Infallible,
    fmt,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use axum::{
    extract::{FromRequestParts, MatchedPath, Request},
    response::{IntoResponse, Response},
};
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderMap, request::Parts};
use stead::{Error, ErrorKind, core::environment::Environment};
use tower::{Layer, Service};
use tracing::{Instrument as _, Span, field};

use crate::problem::Problem;

/// Id of a request: in problems, on pages as the support id, and in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId(u64);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "req_{:016x}", self.0)
    }
}

impl RequestId {
    /// Reads an id back; `None` for any other text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let digits = text
            .strip_prefix("req_")
            .filter(|digits| digits.len() == 16)?;
        digits
            .bytes()
            .all(|digit| digit.is_ascii_hexdigit())
            .then(|| u64::from_str_radix(digits, 16).ok().map(Self))?
    }
}

impl<S: Sync> FromRequestParts<S> for RequestId {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or(Self(0)))
    }
}

/// The layer around every route.
#[derive(Clone)]
pub(crate) struct Boundary(Arc<Ids>);

struct Ids {
    environment: Environment,
    seed: u64,
    count: AtomicU64,
}

impl Boundary {
    /// Ids start at a random place, so that those of two processes do not meet.
    pub(crate) fn new(environment: Environment) -> Self {
        let mut seed = [0; 8];
        environment.entropy().fill(&mut seed);
        Self(Arc::new(Ids {
            environment,
            seed: u64::from_ne_bytes(seed),
            count: AtomicU64::new(0),
        }))
    }

    fn next_id(&self) -> RequestId {
        // An odd factor maps counts to ids one to one and scatters them.
        let count = self
            .0
            .count
            .fetch_add(1, Ordering::Relaxed)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        RequestId(self.0.seed.wrapping_add(count))
    }
}

impl<S> Layer<S> for Boundary {
    type Service = Bounded<S>;

    fn layer(&self, inner: S) -> Bounded<S> {
        Bounded {
            inner,
            boundary: self.clone(),
        }
    }
}

/// A route with its boundary.
#[derive(Clone)]
pub(crate) struct Bounded<S> {
    inner: S,
    boundary: Boundary,
}

impl<S> Service<Request> for Bounded<S>
where
    S: Service<Request, Error = Infallible>,
    S::Response: IntoResponse,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let id = self.boundary.next_id();
        request.extensions_mut().insert(id);
        let span = span(&request, id);
        let watch = (!span.is_disabled()).then(|| Watch::start(&self.boundary.0));
        let answer = AssertUnwindSafe(self.inner.call(request)).catch_unwind();
        let bounded = async move {
            let response = match answer.await {
                Ok(Ok(response)) => response.into_response(),
                Ok(Err(never)) => match never {},
                Err(panic) => stopped(panic.as_ref()).into_response(),
            };
            let response = write_problem(response, id);
            if let Some(watch) = watch {
                watch.stop(&response);
            }
            Ok(response)
        };
        bounded.instrument(span).boxed()
    }
}

/// The span names the route, not the path: paths hold link secrets, users' identifiers and products' ids.
fn span(request: &Request, id: RequestId) -> Span {
    tracing::info_span!(
        "request",
        request_id = %id,
        method = %request.method(),
        route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str),
        status = field::Empty,
        micros = field::Empty,
    )
}

/// Time from a request's head to its answer's head.
struct Watch {
    ids: Arc<Ids>,
    started: std::time::Duration,
}

impl Watch {
    fn start(ids: &Arc<Ids>) -> Self {
        Self {
            ids: Arc::clone(ids),
            started: ids.environment.runtime().monotonic(),
        }
    }

    fn stop(self, response: &Response) {
        let took = self
            .ids
            .environment
            .runtime()
            .monotonic()
            .saturating_sub(self.started);
        let (status, micros) = (
            response.status().as_u16(),
            u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        );
        Span::current()
            .record("status", status)
            .record("micros", micros);
        tracing::info!("answered");
    }
}

fn write_problem(mut response: Response, id: RequestId) -> Response {
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return response;
    };
    report(&problem.error);
    let mut answer = problem.into_answer(id);
    keep_headers(std::mem::take(response.headers_mut()), answer.headers_mut());
    answer
}

/// What the router or the problem said already, such as `Allow` and `Retry-After`.
fn keep_headers(from: HeaderMap, to: &mut HeaderMap) {
    for (name, value) in from {
        if let Some(name) = name.filter(|name| *name != http::header::CONTENT_LENGTH) {
            to.entry(name).or_insert(value);
        }
    }
}

/// Tells the operator of what is ours to mend; everything else is the caller's to read.
pub(crate) fn report(error: &Error) {
    if error.kind().status() == 500 || error.act_by() == stead::core::error::ActBy::Operator {
        tracing::error!(kind = error.kind().name(), error = ?error, "a request failed");
    } else {
        tracing::debug!(kind = error.kind().name(), error = ?error, "a request failed");
    }
}

/// The panic's own text stays out of the answer and of this log line: nobody knows what it quotes.
fn stopped(_: &(dyn Any + Send)) -> Problem {
    Error::new(
        ErrorKind::Internal,
        "an error in Stead; the log of this environment has more under the request's id",
    )
    .into()
}
