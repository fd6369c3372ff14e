//! The body of a response, and what becomes of its connection.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::runtime::Handle;

use crate::{
    pool::{Host, Own},
    shared::Place,
};

/// The body of a response. One of HTTP/1.1 has its connection for itself until it is dropped.
pub(crate) struct Received {
    body: Option<Incoming>,
    connection: Option<(Own, Arc<Host>)>,
    /// On a connection of HTTP/2.
    _place: Option<Place>,
}

impl Received {
    pub(crate) fn shared(body: Incoming, place: Place) -> Self {
        Self {
            body: Some(body),
            connection: None,
            _place: Some(place),
        }
    }

    pub(crate) fn own(body: Incoming, own: Own, host: Arc<Host>) -> Self {
        Self {
            body: Some(body),
            connection: Some((own, host)),
            _place: None,
        }
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let none = || SizeHint::with_exact(0);
        self.body.as_ref().map_or_else(none, Body::size_hint)
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        // What was not read of it is skipped, or ends the connection.
        self.body = None;
        let Some((mut own, host)) = self.connection.take() else {
            return;
        };
        if own.is_ready() {
            return host.put(own);
        }
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                if own.ready().await.is_ok() {
                    host.put(own);
                }
            });
        }
    }
}
