//! A connection's activity: whether it has a request, and how long Stead waits for the next one.
//!
//! hyper reads HTTP. Stead sees in [`connection`](super::connection) that bytes move, and in
//! [`service`](super::service) that a request begins and ends.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// Longest time from the first byte of a request to the end of its head, and also until its first byte. A caller that
/// sends a byte now and then can't hold a connection forever.
const HEAD: Duration = Duration::from_secs(30);
/// How long an unused connection stays open. Load balancers keep theirs for 60 s and reuse them, so they must be the
/// ones to close first.
const IDLE: Duration = Duration::from_secs(90);

/// Requests of a [`Server`](super::Server) whose responses aren't complete yet.
#[derive(Debug, Clone, Default)]
pub struct UnderWay(Arc<AtomicUsize>);

impl UnderWay {
    /// The current number.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection's activity, shared by its stream, its requests and the limit on connections.
#[derive(Debug, Clone)]
pub(super) struct Activity(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    cut: Notify,
    is_known: Arc<AtomicBool>,
    under_way: UnderWay,
}

#[derive(Debug)]
struct State {
    /// The number of running requests.
    requests: usize,
    is_http2: bool,
    /// The event that the connection waits for while it has no request.
    waits_for: Next,
    /// Since when it waits.
    since: Instant,
    /// Whether the caller hasn't read all available bytes.
    is_unread: bool,
    is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The first byte of the first request.
    FirstByte,
    /// The rest of a head.
    Head,
    /// Another request.
    Request,
}

impl Activity {
    pub(super) fn new(under_way: UnderWay) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::new(State {
                requests: 0,
                is_http2: false,
                waits_for: Next::FirstByte,
                since: Instant::now(),
                is_unread: false,
                is_cut: false,
            }),
            cut: Notify::new(),
            is_known: Arc::default(),
            under_way,
        }))
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Bytes have arrived. Between two requests, they begin a head, except over HTTP/2, which also sends other bytes.
    pub(super) fn arrived(&self) {
        self.with(|state| {
            if state.requests == 0 && !state.is_http2 && state.waits_for != Next::Head {
                state.wait_for(Next::Head);
            }
        });
    }

    /// Whether the caller hasn't read all available bytes. The time to the next request starts when it has.
    pub(super) fn is_unread(&self, is_unread: bool) {
        self.with(|state| {
            state.is_unread = is_unread;
            if state.waits_for == Next::Request {
                state.since = Instant::now();
            }
        });
    }

    /// Resolves when the connection was cut, or has waited too long for a request.
    pub(super) async fn ended(&self) {
        while let Some(check) = self.with(|state| state.next_check()) {
            tokio::select! {
                () = self.0.cut.notified() => return,
                () = sleep_until(check) => {}
            }
        }
    }

    /// Cuts the connection off.
    pub(super) fn cut(&self) {
        self.with(|state| state.is_cut = true);
        self.0.cut.notify_one();
    }

    pub(super) fn was_cut(&self) -> bool {
        self.with(|state| state.is_cut)
    }

    /// Since when the connection has waited for a request. `None` while one is running.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        self.with(|state| (state.requests == 0 && !state.is_cut).then_some(state.since))
    }

    /// The number of running requests.
    pub(super) fn requests(&self) -> usize {
        self.with(|state| state.requests)
    }

    /// A flag to set when a request of this connection is authenticated.
    pub(super) fn known(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.is_known)
    }

    pub(super) fn is_known(&self) -> bool {
        self.0.is_known.load(Ordering::Relaxed)
    }

    /// Starts a request.
    pub(super) fn begin(&self, is_http2: bool) -> Running {
        self.0.under_way.0.fetch_add(1, Ordering::Relaxed);
        self.with(|state| {
            state.requests += 1;
            state.is_http2 = is_http2;
        });
        Running(self.clone())
    }
}

impl State {
    fn wait_for(&mut self, next: Next) {
        self.waits_for = next;
        self.since = Instant::now();
    }

    /// When to check again whether the connection has waited too long. `None` if it has. Anything that starts before
    /// then may last at least [`HEAD`], so that no one has to wake the check.
    fn next_check(&self) -> Option<Instant> {
        let now = Instant::now();
        let later = now + HEAD;
        if self.requests > 0 || self.is_unread {
            return Some(later);
        }
        let until = match self.waits_for {
            Next::FirstByte | Next::Head => self.since + HEAD,
            Next::Request => self.since + IDLE,
        };
        (now < until).then(|| until.min(later))
    }
}

/// A running request. It ends with its response's body.
pub(super) struct Running(Activity);

impl Drop for Running {
    fn drop(&mut self) {
        let Self(activity) = self;
        activity.0.under_way.0.fetch_sub(1, Ordering::Relaxed);
        activity.with(|state| {
            state.requests -= 1;
            state.wait_for(Next::Request);
        });
    }
}
