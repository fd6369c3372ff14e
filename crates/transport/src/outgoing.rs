//! The body of a request, as both clients take it.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;
use stead_core::ports::{Body, BoxError};
use tokio::time::Instant;

use crate::deadline::Deadline;

/// The request's own body; how far a stream has come is noted.
pub(crate) struct Outgoing {
    body: Body,
    progress: Progress,
}

impl Outgoing {
    pub(crate) fn new(body: Body) -> (Self, Progress) {
        let progress = match body {
            Body::Stream(_) => Progress::new(),
            Body::Empty | Body::Bytes(_) => Progress(None),
        };
        let taken = progress.clone();
        (Self { body, progress }, taken)
    }

    /// The same once more, unless it is a stream.
    pub(crate) fn again(&self) -> Option<Self> {
        let body = match &self.body {
            Body::Empty => Body::Empty,
            Body::Bytes(bytes) => Body::Bytes(bytes.clone()),
            Body::Stream(_) => return None,
        };
        Some(Self::new(body).0)
    }

    pub(crate) fn into_reqwest(self) -> Option<reqwest::Body> {
        match self.body {
            Body::Empty => None,
            Body::Bytes(bytes) => Some(bytes.into()),
            Body::Stream(_) => Some(reqwest::Body::wrap_stream(self.into_data_stream())),
        }
    }
}

impl HttpBody for Outgoing {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        loop {
            let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
            if let Some(Ok(frame)) = &frame {
                // What follows a body is not passed on.
                let Some(piece) = frame.data_ref() else {
                    continue;
                };
                self.progress.add(piece.len());
            }
            return Poll::Ready(frame);
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// How far a streamed body has come; nothing for any other.
#[derive(Clone)]
pub(crate) struct Progress(Option<Arc<Mutex<Sent>>>);

#[derive(Clone, Copy)]
pub(crate) struct Sent {
    /// Bytes of a streamed body that were taken so far.
    pub(crate) bytes: u64,
    /// When the last of them was, or the request began.
    pub(crate) at: Instant,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let at = Instant::now();
        Self(Some(Arc::new(Mutex::new(Sent { bytes: 0, at }))))
    }

    pub(crate) fn add(&self, bytes: usize) {
        if let Some(sent) = &self.0 {
            let mut sent = lock(sent);
            sent.bytes += bytes as u64;
            sent.at = Instant::now();
        }
    }

    pub(crate) fn so_far(&self, deadline: &Deadline) -> Sent {
        let at = deadline.start;
        self.0
            .as_ref()
            .map_or(Sent { bytes: 0, at }, |sent| *lock(sent))
    }
}

fn lock(sent: &Mutex<Sent>) -> MutexGuard<'_, Sent> {
    sent.lock().unwrap_or_else(PoisonError::into_inner)
}
