//! A response body that holds a value until it ends.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use futures_util::FutureExt as _;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt as _;

/// The body. At its end, `held` is dropped.
pub(crate) fn body(body: Body, held: impl Send + Unpin + 'static) -> Body {
    if body.is_end_stream() {
        return body;
    }
    Body::new(Holding {
        first: None,
        body,
        _held: held,
    })
}

/// The same, but a body whose bytes are all available holds nothing. Nothing works on it any more, and its reader can't
/// keep `held` by reading slowly.
pub(crate) fn unfinished(mut body: Body, held: impl Send + Unpin + 'static) -> Body {
    let first = match body.frame().now_or_never() {
        None => None,
        Some(None) => return Body::empty(),
        Some(Some(first)) => Some(first),
    };
    match first {
        Some(Ok(frame)) if body.is_end_stream() && frame.is_data() => {
            frame.into_data().map_or_else(|_| Body::empty(), Body::from)
        }
        first => Body::new(Holding {
            first,
            body,
            _held: held,
        }),
    }
}

struct Holding<T> {
    /// A frame that was read to see whether there are more.
    first: Option<Result<Frame<Bytes>, axum::Error>>,
    body: Body,
    _held: T,
}

impl<T: Unpin> http_body::Body for Holding<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(first));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.body.size_hint();
        let first = self.first.as_ref().and_then(|first| first.as_ref().ok());
        let first = first.and_then(Frame::data_ref).map_or(0, Bytes::len) as u64;
        let mut whole = SizeHint::new();
        whole.set_lower(rest.lower() + first);
        if let Some(upper) = rest.upper() {
            whole.set_upper(upper + first);
        }
        whole
    }
}
