//! What a connection is doing, as its two sides and its requests see it: so that a slow head is cut off, an unused
//! connection may stay for a while, and only a request whose end is clear is served.

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

/// Longest time from the first byte of a request to the end of its head: a caller who sends a byte now and then holds no
/// connection for ever. As long may it take until the first byte comes at all.
const HEAD: Duration = Duration::from_secs(30);
/// How long an unused connection stays open. Load balancers keep theirs for 60 s and send the next request on it: who
/// closes first must be them.
const IDLE: Duration = Duration::from_secs(90);
/// With which a connection over HTTP/2 begins (RFC 9113, section 3.4).
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
    /// A head has come whole and no request was begun with it.
    head_is_new: bool,
    /// How many bytes are those of the preface so far; none once they are not.
    preface: Option<usize>,
    /// When the connection was told to end.
    cut: Option<Instant>,
    reader: Option<Waker>,
    writer: Option<Waker>,
    /// When the reader looks by itself whether it has waited too long.
    looks_at: Option<Instant>,
    /// The reader holds bytes of the next request.
    holds: bool,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    /// Nothing came yet.
    New(Instant),
    /// Between two requests.
    Idle(Instant),
    /// A part of a request's head has come.
    Head(Instant),
    /// A request is being answered.
    Busy,
    /// The response has ended before the request's body.
    Rest(Instant),
    /// Many requests at a time: how many, and since when there are none.
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

    /// How many of these bytes may be read now. The rest belongs to a request whose turn comes when the one before it
    /// has been answered.
    pub(super) fn arrived(&self, bytes: &[u8]) -> usize {
        self.with(|inner| inner.arrived(bytes))
    }

    /// When to give up waiting for bytes. `waker` is told when that is before `timer`, at which the reader looks again.
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

    /// Whether the connection is to end at once; if not, `waker` is told when it is.
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

    /// Since when the connection waits for a request; `None` while one is being answered.
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

    /// How many requests are being answered.
    pub(super) fn requests(&self) -> usize {
        self.with(|inner| match inner.phase {
            Phase::Busy => 1,
            Phase::Http2(streams, _) => streams,
            Phase::New(_) | Phase::Idle(_) | Phase::Head(_) | Phase::Rest(_) => 0,
        })
    }

    /// Set by whoever authenticates a request of this connection.
    pub(super) fn known(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.is_known)
    }

    pub(super) fn is_known(&self) -> bool {
        self.0.is_known.load(Ordering::Relaxed)
    }

    /// A request begins; `None` where its end is unclear, or where no head ended that could be its.
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
            // Most readers are there already, or will look in time.
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
                // What passed as the preface so far was the beginning of a head.
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

/// A request that is being answered; it ends with its response's body.
pub(super) struct Answering(Activity);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.end();
    }
}
