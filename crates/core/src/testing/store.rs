//! A store that fails, responds late or hides whether it has committed, when a test says so.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
};

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    ports::{BoxFuture, Runtime},
    store::{
        Batch, Commit, Found, Index, Key, List, MemoryStore, Records, Row, Store, Table, Value,
        Versioned,
    },
};

/// The operations that fail while a store is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outage {
    Writes,
    ReadsAndWrites,
}

/// A request to a store.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked<'a> {
    Row,
    Find,
    Rows,
    Commit,
    /// Not a request: a commit has this outcome, and its response is on its way.
    Answered(&'a Batch, Commit),
    Prune,
    Time,
}

/// Decides whether a request succeeds. It can delay the request.
type Script = dyn Fn(Asked<'_>) -> BoxFuture<'static, Result<()>> + Send + Sync;

/// Called with each committed batch.
type Watch = dyn Fn(&Batch) + Send + Sync;

/// The faults that all handles of one store share.
#[derive(Default)]
struct Trouble {
    outage: Mutex<Option<Outage>>,
    /// The next commits, which are reported as failed, and whether each is applied.
    doubtful: Mutex<Vec<bool>>,
    watch: Mutex<Option<Arc<Watch>>>,
    script: Mutex<Option<Arc<Script>>>,
    restored_at: Mutex<Option<Timestamp>>,
    shared: AtomicBool,
}

/// A store that can be unavailable or report a wrong result. If it's slow, other tasks can run before it responds.
pub(crate) struct Flaky {
    rows: Arc<dyn Store>,
    slow: bool,
    trouble: Arc<Trouble>,
}

impl Flaky {
    pub(crate) fn new(runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Self::over(Arc::new(MemoryStore::new(runtime)), false)
    }

    pub(crate) fn over(rows: Arc<dyn Store>, slow: bool) -> Arc<Self> {
        Arc::new(Self {
            rows,
            slow,
            trouble: Arc::default(),
        })
    }

    /// Another handle of the same store, with the same faults.
    pub(crate) fn another(&self, rows: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self {
            rows,
            slow: self.slow,
            trouble: Arc::clone(&self.trouble),
        })
    }

    /// Makes writes fail, or succeed again.
    pub(crate) fn set_down(&self, down: bool) {
        self.set_outage(down.then_some(Outage::Writes));
    }

    pub(crate) fn set_outage(&self, outage: Option<Outage>) {
        *lock(&self.trouble.outage) = outage;
    }

    /// Reports this number of commits as failed, whether or not they are applied.
    pub(crate) fn doubt(&self, commits: usize, applied: bool) {
        *lock(&self.trouble.doubtful) = vec![applied; commits];
    }

    /// Makes the store look restored from an older copy to everyone who opens it from now on.
    pub(crate) fn restore(&self, at: Timestamp) {
        *lock(&self.trouble.restored_at) = Some(at);
    }

    /// Makes the store look shared by several servers to everyone who opens it from now on.
    pub(crate) fn share(&self) {
        self.trouble.shared.store(true, Ordering::SeqCst);
    }

    /// Calls `watch` after every commit.
    pub(crate) fn watch(&self, watch: impl Fn(&Batch) + Send + Sync + 'static) {
        *lock(&self.trouble.watch) = Some(Arc::new(watch));
    }

    /// Uses a script from now on.
    pub(crate) fn script<A>(&self, script: impl Fn(Asked<'_>) -> A + Send + Sync + 'static)
    where
        A: Future<Output = Result<()>> + Send + 'static,
    {
        *lock(&self.trouble.script) = Some(Arc::new(move |asked| Box::pin(script(asked))));
    }

    /// The rows, without waiting.
    pub(crate) fn rows(&self) -> Records {
        Records::new(Arc::clone(&self.rows))
    }

    fn committed(&self, batch: &Batch) {
        let watch = lock(&self.trouble.watch).clone();
        if let Some(watch) = watch {
            watch(batch);
        }
    }

    async fn pause(&self) {
        let mut waited = !self.slow;
        poll_fn(|context| {
            if std::mem::replace(&mut waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// The script's decision.
    fn says(&self, asked: Asked<'_>) -> BoxFuture<'static, Result<()>> {
        let script = lock(&self.trouble.script).clone();
        match script {
            Some(script) => script(asked),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    fn up(&self, needs: Outage) -> Result<()> {
        let outage = *lock(&self.trouble.outage);
        if outage == Some(needs) || outage == Some(Outage::ReadsAndWrites) {
            return Err(down());
        }
        Ok(())
    }
}

fn down() -> Error {
    Error::new(ErrorKind::StorageUnavailable, "the store is down")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for Flaky {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        Box::pin(async move {
            self.pause().await;
            self.says(Asked::Row).await?;
            self.up(Outage::ReadsAndWrites)?;
            self.rows.get(key).await
        })
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        Box::pin(async move {
            self.pause().await;
            self.says(Asked::Find).await?;
            self.up(Outage::ReadsAndWrites)?;
            self.rows.find(table, index, values).await
        })
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        Box::pin(async move {
            self.pause().await;
            self.says(Asked::Rows).await?;
            self.up(Outage::ReadsAndWrites)?;
            self.rows.list(list).await
        })
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(async move {
            self.pause().await;
            self.says(Asked::Commit).await?;
            self.up(Outage::Writes)?;
            let doubt = lock(&self.trouble.doubtful).pop();
            if doubt == Some(false) {
                return Err(down());
            }
            let outcome = self.rows.commit(batch.clone()).await?;
            if outcome == Commit::Committed {
                self.committed(&batch);
            }
            self.says(Asked::Answered(&batch, outcome)).await?;
            doubt.map_or(Ok(outcome), |_| Err(down()))
        })
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            self.pause().await;
            self.says(Asked::Prune).await?;
            self.up(Outage::Writes)?;
            self.rows.prune(list).await
        })
    }

    fn is_shared(&self) -> bool {
        self.trouble.shared.load(Ordering::SeqCst)
    }

    fn restored_at(&self) -> BoxFuture<'_, Result<Option<Timestamp>>> {
        let restored_at = *lock(&self.trouble.restored_at);
        Box::pin(std::future::ready(Ok(restored_at)))
    }

    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(async move {
            self.pause().await;
            self.says(Asked::Time).await?;
            self.up(Outage::ReadsAndWrites)?;
            self.rows.now().await
        })
    }
}
