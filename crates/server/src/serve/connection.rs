//! Serves one connection: the settings of HTTP, the phases of a shutdown, and a limit on callers that don't read.

use std::{
    future::Future as _,
    io, iter,
    pin::{Pin, pin},
    sync::atomic::{AtomicUsize, Ordering},
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::watch,
    time::{Instant, Sleep, sleep_until},
};

use super::{Phase, activity::Activity, service::RouterService};
use crate::patience::Patience;

/// How often Stead pings a caller over HTTP/2.
const PING: Duration = Duration::from_secs(30);
/// Maximum number of concurrent requests over one HTTP/2 connection.
const REQUESTS: u32 = 200;
/// Number of bytes of a request's body that can arrive before Stead reads them. An HTTP/2 connection has this much room
/// for each of its requests. If one isn't read because its product stalls, the others still have room.
const WINDOW: u32 = 256 * 1024;
/// The settings of HTTP.
pub(super) fn http() -> auto::Builder<TokioExecutor> {
    let mut http = auto::Builder::new(TokioExecutor::new());
    // hyper would count the time between two requests as part of the next head, and an unused connection may wait longer.
    http.http1().header_read_timeout(None);
    http.http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(PING))
        .max_concurrent_streams(REQUESTS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(REQUESTS * WINDOW);
    http
}

/// Serves a connection until it ends. Adds the requests that a shutdown cuts off to `cut_off`.
pub(super) async fn serve<S>(
    http: &auto::Builder<TokioExecutor>,
    stream: S,
    service: RouterService,
    phases: watch::Receiver<Phase>,
    cut_off: &AtomicUsize,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = service.activity();
    let stream = TokioIo::new(TimedStream::new(stream, activity.clone()));
    let mut connection = pin!(
        http.serve_connection_with_upgrades(stream, service)
            .into_owned()
    );
    // A set of one future, so that it's polled only when it's woken, and not whenever the connection is.
    let mut news: FuturesUnordered<_> = iter::once(next_phase(phases, &activity)).collect();
    loop {
        tokio::select! {
            served = connection.as_mut() => {
                if let Err(error) = served {
                    tracing::debug!(error = %error, "a connection ended early");
                }
                return;
            }
            Some(next) = news.next() => {
                let Some((phase, phases)) = next else {
                    return;
                };
                if phase.cuts(&activity) {
                    // Before `phases` is dropped, because the shutdown reads the number then.
                    cut_off.fetch_add(activity.requests(), Ordering::Relaxed);
                    return;
                }
                connection.as_mut().graceful_shutdown();
                news.push(next_phase(phases, &activity));
            }
        }
    }
}

/// The next phase. If the sender is gone, the end. `None` if the connection's own time is over.
async fn next_phase(
    mut phases: watch::Receiver<Phase>,
    activity: &Activity,
) -> Option<(Phase, watch::Receiver<Phase>)> {
    let next = tokio::select! {
        () = activity.ended() => return None,
        next = phases.changed() => next,
    };
    let phase = next.map_or(Phase::Cuts, |()| *phases.borrow_and_update());
    Some((phase, phases))
}

/// The bytes of a connection, with a limit on how long Stead waits for a caller that doesn't read.
struct TimedStream<S> {
    stream: S,
    activity: Activity,
    timer: Option<Pin<Box<Sleep>>>,
    /// Since when the caller hasn't read the available bytes.
    unread_since: Option<Instant>,
    patience: Patience,
}

impl<S> TimedStream<S> {
    fn new(stream: S, activity: Activity) -> Self {
        Self {
            stream,
            activity,
            timer: None,
            unread_since: None,
            patience: Patience::default(),
        }
    }

    /// The outcome of a write, whose size `count` measures, or of the caller's time limit for reading.
    fn written<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        count: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(written) = written {
            let mut waited = Duration::ZERO;
            if let Some(since) = self.unread_since.take() {
                waited = since.elapsed();
                self.activity.is_unread(false);
            }
            self.patience
                .after(waited, written.as_ref().map_or(0, count));
            return Poll::Ready(written);
        }
        let is_new = self.unread_since.is_none();
        let since = *self.unread_since.get_or_insert_with(Instant::now);
        let until = since + self.patience.left();
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        if is_new {
            timer.as_mut().reset(until);
            self.activity.is_unread(true);
        }
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the caller isn't reading its response",
        )))
    }
}

/// Everything was written, so nothing waits for the caller.
fn all<T>(_: &T) -> usize {
    usize::MAX
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
        if into.filled().len() > before {
            self.activity.arrived();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, written, |count| *count)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.written(context, flushed, all)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.written(context, shut, all)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.written(context, written, |count| *count)
    }
}
