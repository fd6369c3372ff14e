//! Bodies of requests, read completely within limits of time and size, or forwarded as they arrive.

use std::{
    io,
    pin::{Pin, pin},
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use futures_util::{
    FutureExt as _,
    future::{Either, select},
};
use http_body::{Frame, SizeHint};
use http_body_util::LengthLimitError;
use stead::{Error, ErrorKind};
use stead_core::{
    environment::Environment,
    ports::{BoxFuture, Runtime},
};

use crate::patience::{LONGEST, Patience};

/// Longest wait for a complete body. A caller that sends nothing, or a byte now and then, can't hold a connection
/// forever.
const WAIT: Duration = LONGEST;

/// Reads the whole body, of at most `limit` bytes, within the caller's time. Most bodies are available immediately and
/// need no timer.
pub(crate) async fn collect(
    body: Body,
    limit: usize,
    acting: &Environment,
) -> Result<Bytes, Error> {
    let wait = acting.at_most(WAIT);
    collect_within(body, limit, wait, || acting.runtime().sleep(wait)).await
}

async fn collect_within(
    body: Body,
    limit: usize,
    most: Duration,
    wait: impl FnOnce() -> BoxFuture<'static, ()>,
) -> Result<Bytes, Error> {
    let mut reading = pin!(axum::body::to_bytes(body, limit));
    let read = match reading.as_mut().now_or_never() {
        Some(read) => read,
        None => match select(reading, wait()).await {
            Either::Left((read, _)) => read,
            Either::Right(_) if most < WAIT => {
                return Err(Error::new(
                    ErrorKind::DeadlineExceeded,
                    "the call's deadline passed before its body was complete; nothing was sent",
                ));
            }
            Either::Right(_) => {
                return Err(Error::new(
                    ErrorKind::InvalidRequest,
                    format!(
                        "the body wasn't complete after {} s; send the request again",
                        WAIT.as_secs()
                    ),
                ));
            }
        },
    };
    read.map_err(|error| {
        let source = std::error::Error::source(&error);
        if source.is_some_and(|source| source.is::<LengthLimitError>()) {
            let message = format!("the body is larger than {limit} bytes");
            return Error::new(ErrorKind::RequestTooLarge, message);
        }
        Error::new(
            ErrorKind::InvalidRequest,
            "the body was interrupted; send the request again",
        )
    })
}

/// A body that fails if it arrives too slowly.
pub(crate) struct KeepsComing<E> {
    body: Body,
    environment: E,
    runtime: fn(&E) -> &dyn Runtime,
    patience: Patience,
    /// Since when the body has waited for its next piece, and the timer for it.
    waiting: Option<(Duration, BoxFuture<'static, ()>)>,
}

impl<E> KeepsComing<E> {
    pub(crate) fn new(body: Body, environment: E, runtime: fn(&E) -> &dyn Runtime) -> Self {
        Self {
            body,
            environment,
            runtime,
            patience: Patience::default(),
            waiting: None,
        }
    }
}

impl<E: Unpin> http_body::Body for KeepsComing<E> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let runtime = (this.runtime)(&this.environment);
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            let waiting = this.waiting.take();
            let waited = waiting.map(|(since, _)| runtime.monotonic().saturating_sub(since));
            let data = frame
                .as_ref()
                .and_then(|frame| frame.as_ref().ok()?.data_ref());
            this.patience
                .after(waited.unwrap_or_default(), data.map_or(0, Bytes::len));
            return Poll::Ready(frame);
        }
        let left = this.patience.left();
        let begin = || (runtime.monotonic(), runtime.sleep(left));
        let (_, waiting) = this.waiting.get_or_insert_with(begin);
        ready!(waiting.as_mut().poll(context));
        this.waiting = None;
        let error = io::Error::new(io::ErrorKind::TimedOut, "the body arrived too slowly");
        Poll::Ready(Some(Err(axum::Error::new(error))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use futures_util::{StreamExt as _, stream};
    use http_body_util::BodyExt as _;
    use stead::TokioRuntime;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test]
    async fn a_body_that_is_too_large_differs_from_a_broken_one() {
        let large = Body::from(vec![b' '; 11]);
        let error = collect_within(large, 10, WAIT, || Box::pin(pending()))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RequestTooLarge);
        let broken = stream::once(ready(Err::<Bytes, _>(io::Error::other("cut"))));
        let error = collect_within(Body::from_stream(broken), 10, WAIT, || Box::pin(pending()))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    }

    #[tokio::test]
    async fn a_body_that_does_not_end_is_refused() {
        let never = Body::from_stream(stream::pending::<Result<Bytes, io::Error>>());
        let error = collect_within(never, 10, WAIT, || Box::pin(ready(())))
            .await
            .unwrap_err();
        assert_eq!(
            error.message(),
            "the body wasn't complete after 60 s; send the request again"
        );
        let never = Body::from_stream(stream::pending::<Result<Bytes, io::Error>>());
        let short = Duration::from_secs(2);
        let error = collect_within(never, 10, short, || Box::pin(ready(())))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
        let piece = async {
            tokio::task::yield_now().await;
            Ok::<_, io::Error>(Bytes::from("late"))
        };
        let late = Body::from_stream(stream::once(piece));
        assert_eq!(
            collect_within(late, 10, WAIT, || Box::pin(pending()))
                .await
                .unwrap(),
            "late"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_passed_on_may_take_long_but_not_stop() {
        let start = Instant::now();
        let mut body = every(50, Bytes::from(vec![0; 64 * 1024]));
        for _ in 0..5 {
            assert!(body.frame().await.unwrap().is_ok());
        }
        let mut body = every(3600, Bytes::from("late"));
        assert!(body.frame().await.unwrap().is_err());
        assert_eq!(start.elapsed(), Duration::from_secs(5 * 50 + 60));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_passed_on_has_a_least_rate() {
        let start = Instant::now();
        let mut body = every(20, Bytes::from("x"));
        while body.frame().await.unwrap().is_ok() {
            assert!(
                start.elapsed() < Duration::from_secs(600),
                "still passed on"
            );
        }
        assert_eq!(start.elapsed().as_secs(), 60);
    }

    /// A body whose pieces arrive at this interval in seconds.
    fn every(seconds: u64, piece: Bytes) -> KeepsComing<TokioRuntime> {
        let pieces = stream::repeat(piece).then(move |piece| async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            Ok::<_, io::Error>(piece)
        });
        let runtime = TokioRuntime::current().unwrap();
        KeepsComing::new(Body::from_stream(pieces), runtime, |runtime| runtime)
    }
}
