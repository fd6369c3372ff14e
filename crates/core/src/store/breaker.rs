//! A store that does not respond is asked once a second, and no one else waits for it.

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

/// Work that takes longer raises the question whether the store is there at all.
const PATIENCE: Duration = Duration::from_millis(250);
/// How long the store has for its response to that question.
const RESPONSE: Duration = Duration::from_secs(1);
/// How often a store that is away is asked again.
const PROBE: Duration = Duration::from_secs(1);

/// A store, and whether it responds.
///
/// Work that fails or takes long raises a doubt: a small reading of this process's own then tells whether the store is away.
/// While it is, everything is refused at once, also what waits already. A commit that is refused while it is under way
/// may have been applied, as any other that fails.
#[derive(Clone)]
pub(crate) struct Breaker(Arc<Inner>);

struct Inner {
    store: Arc<dyn Store>,
    runtime: Arc<dyn Runtime>,
    state: watch::Sender<State>,
    /// Counts responses of the store.
    responses: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Responds,
    /// Someone asks.
    Doubted,
    Away,
    /// No one asks any more: whoever opened the store may close it.
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

    /// Whether work is refused now.
    pub(crate) fn is_away(&self) -> bool {
        *self.0.state.borrow() == State::Away
    }

    /// What fails from here on raises no doubt: the store may be closed.
    pub(crate) fn leave(&self) {
        self.0.state.send_replace(State::Left);
    }

    /// Ends when work is refused.
    pub(crate) async fn goes_away(&self) {
        self.0.becomes(|state| state == State::Away).await;
    }

    /// What comes of work, unless the store is away or goes away meanwhile.
    async fn through<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        if self.is_away() {
            return Err(is_away());
        }
        let gone = self.goes_away();
        // Only what is not done at once has a timer.
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
                // What follows is refused at once where the store is away.
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
        // The sender is this one's own.
        let _ = self.state.subscribe().wait_for(|state| is_it(*state)).await;
    }

    /// Asks whether the store responds, where no one does so already.
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

    /// What was found, unless no one asks any more.
    fn is_now(&self, found: State) {
        self.state.send_if_modified(|state| {
            let asks = *state != State::Left;
            if asks {
                *state = found;
            }
            asks
        });
    }

    /// Whether the store responds; if not, why.
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
        // One that has much to do may respond to others first.
        match self.responses.load(Ordering::Relaxed) == before {
            true => Err(failed),
            false => Ok(()),
        }
    }
}

/// Ends with the store's response, or with the environment.
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
#[path = "breaker_tests.rs"]
mod tests;
