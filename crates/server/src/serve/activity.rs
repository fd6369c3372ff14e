//! A connection's activity, as its two sides and its requests see it. A slow head is cut off, an unused connection may
//! stay for a while, and a request is only served if its end is clear.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
    time::Duration,
};

use tokio::time::Instant;

use super::{framing::Framing, under_way::UnderWay};

/// Longest time from the first byte of a request to the end of its head, and also until its first byte. A caller that
/// sends a byte now and then can't hold a connection forever.
const HEAD: Duration = Duration::from_secs(30);
/// How long an unused connection stays open. Load balancers keep theirs for 60 s and reuse them, so they must be the
/// ones to close first.
const IDLE: Duration = Duration::from_secs(90);
/// The beginning of a connection over HTTP/2 (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A connection's activity, shared by its two sides.
#[derive(Debug, Clone)]
pub(super) struct Activity(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    inner: Mutex<Inner>,
    is_known: Arc<AtomicBool>,
    under_way: UnderWay,
}

#[derive(Debug)]
struct Inner {
    phase: Phase,
    framing: Framing,
    /// A complete head has arrived, and its request hasn't begun.
    head_is_new: bool,
    /// How many bytes of the preface have arrived. `None` if the bytes differ from it.
    preface: Option<usize>,
    /// When the connection was cut.
    cut: Option<Instant>,
    reader: Option<Waker>,
    writer: Option<Waker>,
    /// When the reader checks again whether it has waited too long.
    looks_at: Option<Instant>,
    /// Whether the reader holds bytes of the next request.
    holds: bool,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    /// Nothing has arrived yet.
    New(Instant),
    /// Between two requests.
    Idle(Instant),
    /// A part of a request's head has arrived.
    Head(Instant),
    /// A request is running.
    Busy,
    /// The response has ended before the request's body.
    Rest(Instant),
    /// Several requests can run: how many there are, and since when there are none.
    Http2(usize, Instant),
}

impl Activity {
    pub(super) fn new(under_way: UnderWay) -> Self {
        Self(Arc::new(Shared {
            inner: Mutex::new(Inner {
                phase: Phase::New(Instant::now()),
                framing: Framing::default(),
                head_is_new: false,
                preface: Some(0),
                cut: None,
                reader: None,
                writer: None,
                looks_at: None,
                holds: false,
            }),
            is_known: Arc::default(),
            under_way,
        }))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.0.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many of these bytes may be read now. The rest belongs to a request that must wait for the previous one's
    /// response.
    pub(super) fn arrived(&self, bytes: &[u8]) -> usize {
        self.with(|inner| inner.arrived(bytes))
    }

    /// When to stop waiting for bytes. If that is before `timer`, at which the reader checks again, `waker` is woken.
    pub(super) fn gives_up(&self, waker: &Waker, timer: Option<Instant>) -> Option<Instant> {
        self.with(|inner| {
            keep(&mut inner.reader, waker);
            let until = inner.cut.or_else(|| inner.phase.until());
            inner.looks_at = match (timer, until) {
                (Some(timer), Some(until)) => Some(timer.min(until)),
                (timer, until) => timer.or(until),
            };
            until
        })
    }

    /// Whether the reader holds bytes of the next request.
    pub(super) fn holds(&self, holds: bool) {
        self.with(|inner| inner.holds = holds);
    }

    /// Whether the connection must end now. If not, `waker` is woken when it must.
    pub(super) fn is_cut(&self, waker: &Waker) -> bool {
        self.with(|inner| {
            keep(&mut inner.writer, waker);
            inner.cut.is_some()
        })
    }

    /// Ends the connection.
    pub(super) fn cut(&self) {
        self.with(|inner| {
            inner.cut.get_or_insert_with(Instant::now);
            wake(&mut inner.reader);
            wake(&mut inner.writer);
        });
    }

    pub(super) fn was_cut(&self) -> bool {
        self.with(|inner| inner.cut.is_some())
    }

    /// Since when the connection has waited for a request. `None` while one is running.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        self.with(|inner| match inner.phase {
            _ if inner.cut.is_some() => None,
            Phase::New(since)
            | Phase::Idle(since)
            | Phase::Head(since)
            | Phase::Rest(since)
            | Phase::Http2(0, since) => Some(since),
            Phase::Busy | Phase::Http2(..) => None,
        })
    }

    /// The number of running requests.
    pub(super) fn requests(&self) -> usize {
        self.with(|inner| match inner.phase {
            Phase::Busy => 1,
            Phase::Http2(streams, _) => streams,
            Phase::New(_) | Phase::Idle(_) | Phase::Head(_) | Phase::Rest(_) => 0,
        })
    }

    /// A flag to set when a request of this connection is authenticated.
    pub(super) fn known(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.is_known)
    }

    pub(super) fn is_known(&self) -> bool {
        self.0.is_known.load(Ordering::Relaxed)
    }

    /// Starts a request. `None` if its end is unclear, or if no head has arrived for it.
    pub(super) fn begin(&self) -> Option<Answering> {
        let is_clear = self.with(|inner| match &mut inner.phase {
            Phase::Http2(streams, _) => {
                *streams += 1;
                true
            }
            phase => {
                *phase = Phase::Busy;
                std::mem::take(&mut inner.head_is_new) && !inner.framing.is_unclear()
            }
        });
        is_clear.then(|| {
            self.0.under_way.begin();
            Answering(self.clone())
        })
    }

    fn end(&self) {
        self.0.under_way.end();
        self.with(|inner| {
            let now = Instant::now();
            inner.phase = match inner.phase {
                Phase::Busy if inner.framing.is_over() => Phase::Idle(now),
                Phase::Busy => Phase::Rest(now),
                Phase::Http2(streams, _) => Phase::Http2(streams.saturating_sub(1), now),
                same => same,
            };
            // Most readers are already there, or will check in time.
            let in_time = |until| {
                let looks_at = inner.looks_at;
                looks_at.is_some_and(|at| now < at && at <= until)
            };
            if inner.holds || !inner.phase.until().is_none_or(in_time) {
                wake(&mut inner.reader);
            }
        });
    }
}

impl Phase {
    /// How long it may last.
    fn until(self) -> Option<Instant> {
        match self {
            Self::New(since) | Self::Head(since) | Self::Rest(since) => Some(since + HEAD),
            Self::Idle(since) | Self::Http2(0, since) => Some(since + IDLE),
            Self::Busy | Self::Http2(..) => None,
        }
    }
}

impl Inner {
    fn arrived(&mut self, bytes: &[u8]) -> usize {
        let now = Instant::now();
        if matches!(self.phase, Phase::Http2(..)) {
            return bytes.len();
        }
        if let Some(seen) = self.preface {
            let rest = &PREFACE[seen..];
            let count = rest.len().min(bytes.len());
            if matches!(self.phase, Phase::New(_)) {
                self.phase = Phase::Head(now);
            }
            if bytes[..count] != rest[..count] {
                self.preface = None;
                // The bytes that looked like the preface were the beginning of a head.
                let taken = self.framing.read(&PREFACE[..seen]);
                self.head_is_new = taken < seen;
                if taken < seen {
                    return bytes.len();
                }
            } else if count == rest.len() {
                self.phase = Phase::Http2(0, now);
                return bytes.len();
            } else {
                self.preface = Some(seen + count);
                return bytes.len();
            }
        }
        match self.phase {
            Phase::New(_) | Phase::Idle(_) => {
                self.framing = Framing::default();
                self.phase = Phase::Head(now);
            }
            _ if self.framing.is_over() => return 0,
            _ => {}
        }
        let had_head = self.framing.has_head();
        let taken = self.framing.read(bytes);
        self.head_is_new |= self.framing.has_head() && !had_head;
        if matches!(self.phase, Phase::Rest(_)) && self.framing.is_over() {
            self.phase = Phase::Idle(now);
        }
        taken
    }
}

fn keep(place: &mut Option<Waker>, waker: &Waker) {
    if !place.as_ref().is_some_and(|kept| kept.will_wake(waker)) {
        *place = Some(waker.clone());
    }
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

/// A running request. It ends with its response's body.
pub(super) struct Answering(Activity);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.end();
    }
}
