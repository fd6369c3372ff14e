//! What a connection is doing, as its reading side and its requests see it: so that a slow head is cut off, an unused
//! connection may stay, and a head whose framing can be read in two ways is refused.

use std::{
    convert::Infallible,
    future::Future as _,
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};
use tower::Service;

use super::framing::Framing;

/// Longest time from the first byte of a request to the end of its head: a caller who sends a byte now and then holds no
/// connection for ever.
const HEAD: Duration = Duration::from_secs(30);
/// How long an unused connection stays open. Load balancers keep theirs for 60 s and send the next request on it: who
/// closes first must be them.
const IDLE: Duration = Duration::from_secs(90);

/// A connection's activity, shared by its two sides.
#[derive(Debug, Clone)]
pub(super) struct Activity(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    phase: Phase,
    framing: Framing,
    /// Who waits for bytes while no time is running.
    waker: Option<Waker>,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    /// Nothing came yet.
    New(Instant),
    /// Between two requests.
    Idle(Instant),
    /// A part of a request's head has come.
    Head(Instant),
    /// A request is being answered.
    Busy,
    /// Many requests at a time, and pings of its own.
    Http2,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Inner {
            phase: Phase::New(Instant::now()),
            framing: Framing::default(),
            waker: None,
        })))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn arrived(&self, bytes: &[u8]) {
        self.with(|inner| {
            inner.phase = match inner.phase {
                // The beginning of HTTP/2's preface (RFC 9113, section 3.4), which no method has.
                Phase::New(_) if bytes.starts_with(b"PRI") => Phase::Http2,
                Phase::New(_) | Phase::Idle(_) => Phase::Head(Instant::now()),
                same => same,
            };
            if matches!(inner.phase, Phase::Head(_)) {
                inner.framing.read(bytes);
            }
        });
    }

    /// When to give up waiting for bytes; while there is no such time, `waker` is told when there is.
    fn gives_up(&self, waker: &Waker) -> Option<Instant> {
        self.with(|inner| match inner.phase {
            Phase::Head(since) => Some(since + HEAD),
            Phase::New(since) | Phase::Idle(since) => Some(since + IDLE),
            Phase::Busy => {
                inner.waker = Some(waker.clone());
                None
            }
            Phase::Http2 => None,
        })
    }

    /// A whole head has come; `None` where its framing can be read in two ways.
    fn begin(&self) -> Option<Answering> {
        let clear = self.with(|inner| {
            if !matches!(inner.phase, Phase::Http2) {
                inner.phase = Phase::Busy;
            }
            !std::mem::take(&mut inner.framing).is_ambiguous()
        });
        clear.then(|| Answering(self.clone()))
    }

    fn end(&self) {
        self.with(|inner| {
            if matches!(inner.phase, Phase::Busy) {
                inner.phase = Phase::Idle(Instant::now());
                if let Some(waker) = inner.waker.take() {
                    waker.wake();
                }
            }
        });
    }
}

/// A request that is being answered; it ends with its response's body.
struct Answering(Activity);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The bytes of a connection. One that is given up reads as ended.
pub(super) struct Watched<S> {
    stream: S,
    activity: Activity,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, activity: Activity) -> Self {
        Self {
            stream,
            activity,
            timer: None,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, into) {
            let bytes = &into.filled()[before..];
            if !bytes.is_empty() {
                self.activity.arrived(bytes);
            }
            return Poll::Ready(read);
        }
        let Some(until) = self.activity.gives_up(context.waker()) else {
            return Poll::Pending;
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        if timer.deadline() != until {
            timer.as_mut().reset(until);
        }
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}

/// The router, as the requests of one connection reach it.
#[derive(Clone)]
pub(super) struct Noted<S> {
    pub(super) router: S,
    pub(super) activity: Activity,
}

impl<S, B> Service<Request<B>> for Noted<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<NotedBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.router.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Some(noted) = self.activity.begin() else {
            return std::future::ready(Ok(ambiguous())).boxed();
        };
        let response = self.router.call(request);
        async move {
            let body = |body| NotedBody {
                body,
                _request: Some(noted),
            };
            Ok(response.await?.map(body))
        }
        .boxed()
    }
}

/// What could be read in two ways is not read at all (RFC 9112, section 6.3).
fn ambiguous() -> Response<NotedBody> {
    let mut response = Response::new(NotedBody {
        body: Body::from("the length of the request's body is given in two ways\n"),
        _request: None,
    });
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// A response's body, with whose end the request has ended.
pub(super) struct NotedBody {
    body: Body,
    _request: Option<Answering>,
}

impl http_body::Body for NotedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
