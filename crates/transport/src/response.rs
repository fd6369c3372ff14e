//! The body of a response, within its limits.

use std::{
    error::Error,
    future::{Future as _, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{Extensions, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use stead_core::ports::{Body, Limits, TransportError};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::{
    deadline::{Deadline, after},
    failure,
    outgoing::Upload,
};

/// The body of a client's response.
pub(crate) trait Incoming:
    HttpBody<Data = Bytes, Error: Error + Send + Sync + 'static> + Send + Unpin + 'static
{
}

impl<B> Incoming for B where
    B: HttpBody<Data = Bytes, Error: Error + Send + Sync + 'static> + Send + Unpin + 'static
{
}

/// A response that has no body. If its head has a length, that is the length of another response.
pub(crate) fn without_body<B>(response: Response<B>) -> Response<Body> {
    let (mut parts, _) = response.into_parts();
    parts.extensions = Extensions::new();
    Response::from_parts(parts, Body::Empty)
}

/// The response as the port returns it.
///
/// If a body with a length has arrived together with its head, as most do, returns its bytes. Otherwise, returns it
/// piece by piece.
pub(crate) async fn incoming<B: Incoming>(
    response: Response<B>,
    limits: &Limits,
    deadline: Deadline,
    sent: u64,
    upload: Option<Upload>,
) -> Result<Response<Body>, TransportError> {
    let (mut parts, mut inner) = response.into_parts();
    // The client's own data, such as the request's address.
    parts.extensions = Extensions::new();
    let Some(length) = inner.size_hint().exact() else {
        return Ok(Response::from_parts(
            parts,
            Body::stream(Pieces::new(None, inner, limits, deadline, sent, upload)),
        ));
    };
    if length > limits.response_bytes {
        return Err(failure::too_large(limits.response_bytes));
    }
    if length == 0 {
        return Ok(Response::from_parts(parts, Body::Empty));
    }
    let first = match poll_fn(|context| Poll::Ready(Pin::new(&mut inner).poll_frame(context))).await
    {
        Poll::Ready(Some(frame)) => frame.map_err(failure::of_body)?.into_data().ok(),
        Poll::Ready(None) | Poll::Pending => None,
    };
    let body = match first {
        Some(whole) if whole.len() as u64 == length && inner.is_end_stream() => Body::Bytes(whole),
        first => Body::stream(Pieces::new(first, inner, limits, deadline, sent, upload)),
    };
    Ok(Response::from_parts(parts, body))
}

/// A body that arrives piece by piece.
struct Pieces<B> {
    /// A piece that was read with the head.
    first: Option<Bytes>,
    /// The rest, and the upload that ends with it. `None` after its end or a failure, so that the connection is
    /// released immediately.
    rest: Option<(B, Option<Upload>)>,
    limit: u64,
    /// Bytes that may still arrive.
    left: u64,
    idle: Duration,
    deadline: Deadline,
    /// Bytes of both bodies that have passed.
    passed: u64,
    /// Missing bytes of the length in the head. An HTTP/2 server can end a stream early without an error.
    missing: u64,
    waiting_since: Option<Instant>,
    /// Created by the first wait, and set again only when it fires, because most bodies need it once or never.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<B: Incoming> Pieces<B> {
    fn new(
        first: Option<Bytes>,
        rest: B,
        limits: &Limits,
        deadline: Deadline,
        sent: u64,
        upload: Option<Upload>,
    ) -> Self {
        let read = first.as_ref().map_or(0, Bytes::len) as u64;
        Self {
            missing: rest.size_hint().exact().unwrap_or_default(),
            first,
            rest: Some((rest, upload)),
            limit: limits.response_bytes,
            left: limits.response_bytes.saturating_sub(read),
            idle: limits.idle,
            deadline,
            passed: sent + read,
            waiting_since: None,
            timer: None,
        }
    }

    fn arrived(&mut self, frame: Frame<Bytes>) -> Result<Frame<Bytes>, TransportError> {
        self.waiting_since = None;
        let length = frame.data_ref().map_or(0, Bytes::len) as u64;
        self.left = self
            .left
            .checked_sub(length)
            .ok_or_else(|| failure::too_large(self.limit))?;
        self.passed += length;
        self.missing = self.missing.saturating_sub(length);
        if Instant::now() >= self.deadline.with(self.passed) {
            return Err(failure::timed_out("the request took too long"));
        }
        Ok(frame)
    }

    /// Resolves when the wait for the next piece takes too long. If no one asks for a piece, the server isn't late, so
    /// that time doesn't count as idle.
    fn poll_limits(&mut self, context: &mut Context<'_>) -> Poll<TransportError> {
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        let end = self.deadline.with(self.passed);
        let until = after(since, self.idle).min(end);
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        loop {
            ready!(timer.as_mut().poll(context));
            let now = Instant::now();
            if now >= end {
                return Poll::Ready(failure::timed_out("the request took too long"));
            }
            if now >= until {
                return Poll::Ready(failure::timed_out("the response stopped before its end"));
            }
            timer.as_mut().reset(until);
        }
    }
}

impl<B: Incoming> HttpBody for Pieces<B> {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        let result = loop {
            let Some((rest, _)) = &mut self.rest else {
                return Poll::Ready(None);
            };
            break match Pin::new(rest).poll_frame(context) {
                // Trailers aren't passed on.
                Poll::Ready(Some(Ok(frame))) if !frame.is_data() => continue,
                Poll::Ready(Some(Ok(frame))) => self.arrived(frame),
                Poll::Ready(Some(Err(error))) => Err(failure::of_body(error)),
                Poll::Ready(None) if self.missing > 0 => Err(failure::broke_off()),
                Poll::Ready(None) => {
                    self.rest = None;
                    return Poll::Ready(None);
                }
                Poll::Pending => Err(ready!(self.poll_limits(context))),
            };
        };
        if result.is_err() {
            self.rest = None;
        }
        Poll::Ready(Some(result))
    }

    fn is_end_stream(&self) -> bool {
        let rest_has_ended = |(rest, _): &(B, _)| self.missing == 0 && rest.is_end_stream();
        self.first.is_none() && self.rest.as_ref().is_none_or(rest_has_ended)
    }

    fn size_hint(&self) -> SizeHint {
        let first = self.first.as_ref().map_or(0, Bytes::len) as u64;
        let rest = self
            .rest
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), |(rest, _)| rest.size_hint());
        match rest.exact() {
            Some(rest) => SizeHint::with_exact(first + rest),
            None => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::{TryStreamExt as _, stream};
    use http_body_util::StreamBody;
    use stead_core::ports::TransportErrorKind;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn v60_a_dripping_body_ends_with_the_total_timeout() {
        const PAUSE: Duration = Duration::from_secs(10);
        // A tool, and a stream that may continue for as long as it's steady.
        for steady in [0, 16 * 1024] {
            let limits = Limits {
                steady,
                ..Limits::DEFAULT
            };
            let drops = stream::unfold((), |()| async move {
                tokio::time::sleep(PAUSE).await;
                Some((Ok::<_, Infallible>(Bytes::from_static(b"x")), ()))
            });
            let drops = StreamBody::new(drops.map_ok(Frame::data));
            let response = Response::new(Box::pin(drops));
            let start = Instant::now();
            let response = incoming(response, &limits, Deadline::new(&limits), 0, None).await;
            let error = response
                .unwrap()
                .into_body()
                .collect(u64::MAX)
                .await
                .unwrap_err();

            assert_eq!(error.kind(), TransportErrorKind::TimedOut);
            assert_eq!(error.to_string(), "the request took too long");
            assert_eq!(start.elapsed(), limits.total);
        }
    }
}
