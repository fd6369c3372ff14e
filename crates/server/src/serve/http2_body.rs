//! The bodies of responses over HTTP/2. There, a caller can stop reading one response while its connection continues.
//! If a caller doesn't read a body, it's dropped. The time limit starts when the response is handed out.

use std::{
    collections::HashMap,
    io, mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use foldhash::fast::RandomState;
use http_body::{Body as _, Frame};
use tokio::time::{Instant, sleep_until};

use super::activity::Running;
use crate::patience::{LONGEST, Patience};

/// Number of bytes of a body that are passed on at a time. After that, the connection holds them, and Stead can't see
/// them.
const PIECE: usize = 32 * 1024;

/// The bodies of one connection's responses.
#[derive(Clone, Default)]
pub(super) struct Http2Bodies(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    bodies: HashMap<u64, Waiting, RandomState>,
    next: u64,
    is_watched: bool,
}

/// A body that its caller hasn't read to its end.
struct Waiting {
    body: Body,
    _request: Running,
    /// Bytes that the body has produced and that weren't passed on yet.
    rest: Bytes,
    patience: Patience,
    /// Since when Stead has waited for the caller. `None` while it waits for the body.
    since: Option<Instant>,
    /// Number of bytes that were passed on last.
    handed: usize,
}

/// A response's body. It's dropped if its caller reads nothing of it, or too little.
pub(super) struct Http2Body {
    id: u64,
    bodies: Http2Bodies,
}

impl Http2Bodies {
    pub(super) fn body(&self, body: Body, request: Running) -> Http2Body {
        let mut open = self.open();
        let id = open.next;
        open.next += 1;
        let is_at_its_end = body.is_end_stream();
        open.bodies.insert(
            id,
            Waiting {
                body,
                _request: request,
                rest: Bytes::new(),
                patience: Patience::default(),
                since: Some(Instant::now()),
                handed: 0,
            },
        );
        if !is_at_its_end && !mem::replace(&mut open.is_watched, true) {
            tokio::spawn(watch(self.clone()));
        }
        drop(open);
        Http2Body {
            id,
            bodies: self.clone(),
        }
    }

    /// Bodies that have waited too long, and when to check again. `None` if there are no bodies.
    fn late(&self, now: Instant) -> Option<(Vec<Waiting>, Instant)> {
        let mut open = self.open();
        if open.bodies.is_empty() {
            open.is_watched = false;
            return None;
        }
        // A wait that started later also ends later.
        let until = |waiting: &Waiting| waiting.since.unwrap_or(now) + waiting.patience.left();
        let is_late =
            |_: &u64, waiting: &mut Waiting| waiting.since.is_some() && until(waiting) <= now;
        let late = open.bodies.extract_if(is_late);
        let late = late.map(|(_, waiting)| waiting).collect();
        let next = open.bodies.values().map(until).min();
        Some((late, next.unwrap_or(now + LONGEST).min(now + LONGEST)))
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let now = Instant::now();
        if let Some(since) = self.since.take() {
            self.patience
                .after(now - since, mem::take(&mut self.handed));
        }
        let frame = if self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame,
                other => return other,
            }
        } else {
            Frame::data(mem::take(&mut self.rest))
        };
        let frame = frame.map_data(|mut data| {
            self.rest = data.split_off(PIECE.min(data.len()));
            self.handed = data.len();
            data
        });
        self.since = Some(now);
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_over(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }
}

impl Http2Body {
    pub(super) fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.bodies.open().bodies.get_mut(&self.id) {
            Some(waiting) => waiting.poll_frame(context),
            None => {
                let error = "the caller isn't reading its response";
                let error = io::Error::new(io::ErrorKind::TimedOut, error);
                Poll::Ready(Some(Err(axum::Error::new(error))))
            }
        }
    }

    pub(super) fn is_end_stream(&self) -> bool {
        let open = self.bodies.open();
        open.bodies.get(&self.id).is_some_and(Waiting::is_over)
    }
}

impl Drop for Http2Body {
    fn drop(&mut self) {
        // It's dropped after the lock is released.
        let waiting = self.bodies.open().bodies.remove(&self.id);
        drop(waiting);
    }
}

/// Drops bodies that wait too long for their callers, as long as there are any.
async fn watch(bodies: Http2Bodies) {
    while let Some((late, next)) = bodies.late(Instant::now()) {
        drop(late);
        sleep_until(next).await;
    }
}
