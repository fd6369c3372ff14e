//! The body of a request, in the form that both clients accept.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;
use stead_core::ports::{Body, BoxError};
use tokio::time::Instant;

use crate::deadline::Deadline;

/// The request's own body. Records the progress of a stream.
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

    /// A copy of the body, unless it's a stream.
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
        if self.progress.is_over(context) {
            return Poll::Ready(Some(Err("the exchange is over".into())));
        }
        loop {
            let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
                self.progress.note(|sent| sent.turn = Turn::Body);
                return Poll::Pending;
            };
            match &frame {
                // Trailers aren't passed on.
                Some(Ok(frame)) if !frame.is_data() => continue,
                Some(Ok(frame)) => self.progress.add(frame.data_ref().map_or(0, Bytes::len)),
                Some(Err(_)) => self.progress.note(|sent| sent.turn = Turn::BrokeOff),
                None => self.progress.add(0),
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

/// The progress of a streamed body. `None` for any other body.
#[derive(Clone)]
pub(crate) struct Progress(Option<Arc<Mutex<State>>>);

struct State {
    sent: Sent,
    is_over: bool,
    /// Wakes the task that asked for a piece.
    asks: Option<Waker>,
}

#[derive(Clone, Copy)]
pub(crate) struct Sent {
    /// Bytes of a streamed body that were taken so far.
    pub(crate) bytes: u64,
    /// When the last of them was taken, the body ended, or the request began.
    pub(crate) at: Instant,
    pub(crate) turn: Turn,
}

/// The side that the exchange waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Server,
    /// The source of the request's body.
    Body,
    /// Neither side, because the body ended with an error.
    BrokeOff,
}

impl Sent {
    fn nothing(at: Instant) -> Self {
        let turn = Turn::Server;
        Self { bytes: 0, at, turn }
    }
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self(Some(Arc::new(Mutex::new(State {
            sent: Sent::nothing(Instant::now()),
            is_over: false,
            asks: None,
        }))))
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.note(|sent| {
            sent.bytes += bytes as u64;
            sent.at = Instant::now();
            sent.turn = Turn::Server;
        });
    }

    pub(crate) fn note(&self, change: impl FnOnce(&mut Sent)) {
        if let Some(state) = &self.0 {
            change(&mut lock(state).sent);
        }
    }

    pub(crate) fn so_far(&self, deadline: &Deadline) -> Sent {
        self.0
            .as_ref()
            .map_or(Sent::nothing(deadline.start), |state| lock(state).sent)
    }

    /// Returns a guard that ends the body when it's dropped.
    pub(crate) fn upload(&self) -> Option<Upload> {
        self.0.as_ref().map(|state| Upload(Arc::clone(state)))
    }

    /// Whether no one waits for the body any more. If someone still waits, this registers the task that asked for a
    /// piece, to wake it when that changes.
    fn is_over(&self, context: &Context<'_>) -> bool {
        self.0.as_ref().is_some_and(|state| {
            let mut state = lock(state);
            if !state.is_over {
                match &mut state.asks {
                    Some(asks) => asks.clone_from(context.waker()),
                    none => *none = Some(context.waker().clone()),
                }
            }
            state.is_over
        })
    }
}

/// A streamed body whose response isn't finished yet. Dropping it ends the body. Otherwise, a body that the server
/// doesn't read could be sent without end.
pub(crate) struct Upload(Arc<Mutex<State>>);

impl Drop for Upload {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        state.is_over = true;
        let asks = state.asks.take();
        drop(state);
        if let Some(asks) = asks {
            asks.wake();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
