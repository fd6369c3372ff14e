//! A response while it's forwarded: the capacity that it holds until its end, and how its end is recorded.

use std::{
    fmt::Write as _,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use http_body::{Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;

use crate::{
    Error, ErrorKind, Result,
    call::{Capacity, record::Record},
    identifier::ExecutionId,
    ports::{Body, BoxError},
};

/// Names the execution on every response of the proxy.
const EXECUTION_ID: HeaderName = HeaderName::from_static("stead-execution-id");

/// Names the execution on its response.
pub(super) fn named(
    id: ExecutionId,
    mut result: Result<http::Response<Body>>,
) -> Result<http::Response<Body>> {
    if let Ok(response) = &mut result {
        // The final capacity, so that the conversion to a header value needs no copy.
        let mut text = String::with_capacity(ExecutionId::PREFIX.len() + 32);
        let written = write!(text, "{id}");
        let id = written.ok().and_then(|()| HeaderValue::try_from(text).ok());
        response
            .headers_mut()
            .extend(id.map(|id| (EXECUTION_ID, id)));
    }
    result
}

/// The body of a response. If the record is still open, it's completed at the body's end.
pub(super) fn passing(body: Body, record: Option<Record>, capacity: Capacity) -> Body {
    match body {
        Body::Stream(inner) => Body::stream(Passing {
            inner,
            record,
            _capacity: capacity,
        }),
        at_hand => {
            end(record, Ok(()));
            at_hand
        }
    }
}

struct Passing {
    inner: UnsyncBoxBody<Bytes, BoxError>,
    record: Option<Record>,
    _capacity: Capacity,
}

fn end(record: Option<Record>, result: Result<()>) {
    if let Some(record) = record {
        // The body itself reports the error to the caller.
        let _ = record.end(result);
    }
}

impl http_body::Body for Passing {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        let is_over = frame.is_none() || self.inner.is_end_stream();
        if matches!(frame, Some(Err(_))) {
            let message = "the product's response was interrupted";
            let error = Error::new(ErrorKind::UpstreamTruncated, message);
            end(self.record.take(), Err(error));
        } else if is_over {
            end(self.record.take(), Ok(()));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
