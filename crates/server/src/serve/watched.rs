//! The bytes of a connection, with limits on how long Stead waits for the caller in both directions.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use super::activity::Activity;
use crate::patience::Patience;

/// The bytes of a connection. A connection that is given up reads as ended.
pub(super) struct Watched<S> {
    stream: S,
    activity: Activity,
    /// Bytes that arrived with a request and belong to the next one.
    held: Vec<u8>,
    waits: Option<Pin<Box<Sleep>>>,
    unread: Option<Pin<Box<Sleep>>>,
    /// Since when the caller hasn't read the available bytes.
    unread_since: Option<Instant>,
    patience: Patience,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, activity: Activity) -> Self {
        Self {
            stream,
            activity,
            held: Vec::new(),
            waits: None,
            unread: None,
            unread_since: None,
            patience: Patience::default(),
        }
    }

    /// Takes held bytes that may be read by now.
    fn take_held(&mut self, into: &mut ReadBuf<'_>) -> usize {
        let count = self.held.len().min(into.remaining());
        let taken = self.activity.arrived(&self.held[..count]);
        into.put_slice(&self.held[..taken]);
        self.held.drain(..taken);
        if self.held.is_empty() {
            self.activity.holds(false);
        }
        taken
    }

    /// The outcome of a write, whose size `count` measures, or of the caller's time limit for reading.
    fn written<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        count: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if self.activity.is_cut(context.waker()) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let now = Instant::now();
        if let Poll::Ready(written) = written {
            let waited = self
                .unread_since
                .take()
                .map_or(Duration::ZERO, |since| now - since);
            self.patience
                .after(waited, written.as_ref().map_or(0, count));
            return Poll::Ready(written);
        }
        let is_new = self.unread_since.is_none();
        let until = *self.unread_since.get_or_insert(now) + self.patience.left();
        let timer = self
            .unread
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        if is_new {
            timer.as_mut().reset(until);
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

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.held.is_empty() {
            if self.take_held(into) > 0 {
                return Poll::Ready(Ok(()));
            }
        } else {
            let before = into.filled().len();
            if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, into) {
                read?;
                let taken = self.activity.arrived(&into.filled()[before..]);
                let is_the_end = into.filled().len() == before;
                if into.filled().len() > before + taken {
                    self.held = into.filled()[before + taken..].to_vec();
                    self.activity.holds(true);
                    into.set_filled(before + taken);
                }
                if taken > 0 || is_the_end {
                    return Poll::Ready(Ok(()));
                }
            }
        }
        loop {
            let timer = self.waits.as_ref().map(|timer| timer.deadline());
            let Some(until) = self.activity.gives_up(context.waker(), timer) else {
                return Poll::Pending;
            };
            let timer = self
                .waits
                .get_or_insert_with(|| Box::pin(sleep_until(until)));
            // A timer that fires too early only causes another check. Most requests set none.
            if timer.deadline() > until {
                timer.as_mut().reset(until);
            }
            ready!(timer.as_mut().poll(context));
            if timer.deadline() >= until {
                return Poll::Ready(Ok(()));
            }
            timer.as_mut().reset(until);
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
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
