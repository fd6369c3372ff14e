//! A circuit breaker for the store. While the store doesn't respond, Stead probes it once a second and no call waits
//! for it.

use std::{
    pin::pin,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::future::{Either, select};
use jiff::Timestamp;
use tokio::sync::watch;

use super::{Batch, Commit, Found, Index, Key, List, Row, Store, Table, Value, Versioned};
use crate::{
    Error, ErrorKind, Result,
    ports::{BoxFuture, Runtime},
};

/// If an operation takes longer, Stead checks whether the store responds at all.
const PATIENCE: Duration = Duration::from_millis(250);
/// Time limit of that check.
const RESPONSE: Duration = Duration::from_secs(1);
/// How often an unavailable store is probed.
const PROBE: Duration = Duration::from_secs(1);

/// A store, and whether it responds.
///
/// After an operation that fails or takes long, one small read decides whether the store is unavailable. While it is,
/// all operations fail immediately, including those that already wait. A commit that fails while it's running may have
/// been applied, like any other failed commit.
#[derive(Clone)]
pub(crate) struct Breaker(Arc<Inner>);

struct Inner {
    store: Arc<dyn Store>,
    runtime: Arc<dyn Runtime>,
    state: watch::Sender<State>,
    /// Number of responses of the store.
    responses: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Responds,
    /// A check is running.
    Doubted,
    Away,
    /// Checks have ended, because the store may be closed.
    Left,
}

impl Breaker {
    pub(crate) fn new(store: Arc<dyn Store>, runtime: Arc<dyn Runtime>) -> Self {
        Self(Arc::new(Inner {
            store,
            runtime,
            state: watch::Sender::new(State::Responds),
            responses: AtomicU64::new(0),
        }))
    }

    /// Whether operations are rejected now.
    pub(crate) fn is_away(&self) -> bool {
        *self.0.state.borrow() == State::Away
    }

    /// From now on, failures don't start a check, because the store may be closed.
    pub(crate) fn leave(&self) {
        self.0.state.send_replace(State::Left);
    }

    /// Completes when operations are rejected.
    pub(crate) async fn goes_away(&self) {
        self.0.becomes(|state| state == State::Away).await;
    }

    /// Result of an operation, unless the store is or becomes unavailable.
    async fn through<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        if self.is_away() {
            return Err(is_away());
        }
        let gone = self.goes_away();
        // Only an operation that doesn't complete immediately needs a timer.
        let doubting = async {
            loop {
                self.0.runtime.sleep(PATIENCE).await;
                self.0.doubt();
            }
        };
        let (work, gone, doubting) = (pin!(work), pin!(gone), pin!(doubting));
        let done = match select(work, select(gone, doubting)).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => return Err(is_away()),
        };
        match &done {
            Err(error) if error.kind() == ErrorKind::StorageUnavailable => {
                self.0.doubt();
                // If the store is unavailable, following operations fail immediately.
                self.0.becomes(|state| state != State::Doubted).await;
            }
            _ => {
                self.0.responses.fetch_add(1, Ordering::Relaxed);
            }
        }
        done
    }
}

impl Inner {
    /// Waits for a state.
    async fn becomes(&self, is_it: impl Fn(State) -> bool) {
        // Can't fail, because the sender belongs to `self`.
        let _ = self.state.subscribe().wait_for(|state| is_it(*state)).await;
    }

    /// Checks whether the store responds, unless a check is already running.
    fn doubt(self: &Arc<Self>) {
        let begins = self.state.send_if_modified(|state| {
            let begins = *state == State::Responds;
            if begins {
                *state = State::Doubted;
            }
            begins
        });
        if begins {
            self.runtime
                .spawn(Box::pin(ask_until_it_responds(Arc::downgrade(self))));
        }
    }

    /// Sets the state that a check found, unless checks have ended.
    fn is_now(&self, found: State) {
        self.state.send_if_modified(|state| {
            let asks = *state != State::Left;
            if asks {
                *state = found;
            }
            asks
        });
    }

    /// Whether the store responds. If not, the error says why.
    async fn responds(&self) -> Result<()> {
        let before = self.responses.load(Ordering::Relaxed);
        let asked = pin!(self.store.now());
        let failed = match select(asked, self.runtime.sleep(RESPONSE)).await {
            Either::Left((Err(error), _)) if error.kind() == ErrorKind::StorageUnavailable => error,
            Either::Left(_) => return Ok(()),
            Either::Right(_) => Error::new(
                ErrorKind::StorageUnavailable,
                "the store doesn't respond; a small read took longer than 1 s",
            ),
        };
        // A busy store may respond to other operations first.
        match self.responses.load(Ordering::Relaxed) == before {
            true => Err(failed),
            false => Ok(()),
        }
    }
}

/// Probes until the store responds or the environment is dropped.
async fn ask_until_it_responds(inner: Weak<Inner>) {
    let mut away_since = None;
    while let Some(inner) = inner.upgrade() {
        let responds = inner.responds().await;
        let now = inner.runtime.monotonic();
        let Err(error) = responds else {
            if let Some(since) = away_since {
                let seconds = now.saturating_sub(since).as_secs();
                tracing::warn!(seconds, "the store responds again");
            }
            inner.is_now(State::Responds);
            return;
        };
        if *inner.state.borrow() == State::Left {
            return;
        }
        if away_since.is_none() {
            away_since = Some(now);
            let why = error.message();
            tracing::error!(
                why,
                "the store is unavailable; Stead checks it every second and rejects requests that need it"
            );
            inner.is_now(State::Away);
        }
        let pause = inner.runtime.sleep(PROBE);
        drop(inner);
        pause.await;
    }
}

fn is_away() -> Error {
    Error::new(
        ErrorKind::StorageUnavailable,
        "the store doesn't respond; Stead checks it every second",
    )
    .with_retry_after(PROBE)
}

impl Store for Breaker {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        Box::pin(self.through(self.0.store.get(key)))
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        Box::pin(self.through(self.0.store.find(table, index, values)))
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        Box::pin(self.through(self.0.store.list(list)))
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(self.through(self.0.store.commit(batch)))
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        Box::pin(self.through(self.0.store.prune(list)))
    }

    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(self.through(self.0.store.now()))
    }

    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.through(self.0.store.ready()))
    }

    fn is_shared(&self) -> bool {
        self.0.store.is_shared()
    }

    fn restored_at(&self) -> BoxFuture<'_, Result<Option<Timestamp>>> {
        self.0.store.restored_at()
    }
}

#[cfg(test)]
mod tests;
