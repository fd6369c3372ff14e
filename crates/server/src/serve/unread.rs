//! The body of a response over HTTP/2. There a caller stops one response by giving it no room, while its connection goes
//! on: what lies behind a body that no one takes is let go.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as _, Frame};
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep_until},
};

use super::{activity::Answering, watched::UNREAD};

/// A body that is dropped where the caller has taken nothing of it for [`UNREAD`].
pub(super) struct Unread {
    shared: Arc<Mutex<Shared>>,
    /// Runs once a piece has been taken and more is to come.
    watch: Option<JoinHandle<()>>,
}

struct Shared {
    body: Option<(Body, Answering)>,
    /// Since when the last piece has been all that the caller took; none while it waits for the next one.
    taken: Option<Instant>,
}

impl Unread {
    pub(super) fn new(body: Body, request: Answering) -> Self {
        Self {
            shared: Arc::new(Mutex::new(Shared {
                body: Some((body, request)),
                taken: None,
            })),
            watch: None,
        }
    }

    pub(super) fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut shared = lock(&self.shared);
        let Some((body, _)) = &mut shared.body else {
            let error = "the caller does not read its response";
            let error = io::Error::new(io::ErrorKind::TimedOut, error);
            return Poll::Ready(Some(Err(axum::Error::new(error))));
        };
        let polled = std::pin::Pin::new(&mut *body).poll_frame(context);
        let has_more = matches!(polled, Poll::Ready(Some(Ok(_)))) && !body.is_end_stream();
        shared.taken = has_more.then(Instant::now);
        drop(shared);
        if has_more && self.watch.is_none() {
            self.watch = Some(tokio::spawn(watch(Arc::clone(&self.shared))));
        }
        polled
    }

    pub(super) fn is_end_stream(&self) -> bool {
        let shared = lock(&self.shared);
        let body = shared.body.as_ref();
        body.is_some_and(|(body, _)| body.is_end_stream())
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.abort();
        }
    }
}

async fn watch(shared: Arc<Mutex<Shared>>) {
    loop {
        let taken = lock(&shared).taken;
        let now = Instant::now();
        let until = taken.unwrap_or(now) + UNREAD;
        if until <= now {
            lock(&shared).body = None;
            return;
        }
        sleep_until(until).await;
    }
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
