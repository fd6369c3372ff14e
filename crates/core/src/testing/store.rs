//! A store that fails or answers late when a test says so.

use std::{
    future::poll_fn,
    sync::{
        Arc,
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

/// A store that can be down, and that lets others go on before it answers where it is slow.
pub(crate) struct Flaky {
    rows: Arc<MemoryStore>,
    slow: bool,
    down: AtomicBool,
}

impl Flaky {
    pub(crate) fn new(runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Arc::new(Self {
            rows: Arc::new(MemoryStore::new(runtime)),
            slow: false,
            down: AtomicBool::new(false),
        })
    }

    pub(crate) fn slow(runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Arc::new(Self {
            rows: Arc::new(MemoryStore::new(runtime)),
            slow: true,
            down: AtomicBool::new(false),
        })
    }

    /// Writes fail while the store is down.
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    /// The rows, without waiting.
    pub(crate) fn rows(&self) -> Records {
        Records::new(Arc::clone(&self.rows) as _)
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

    fn up(&self) -> Result<()> {
        let down = self.down.load(Ordering::SeqCst);
        if down {
            Err(Error::new(
                ErrorKind::StorageUnavailable,
                "the store is down",
            ))
        } else {
            Ok(())
        }
    }
}

impl Store for Flaky {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        Box::pin(async move {
            self.pause().await;
            self.rows.get(key).await
        })
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        Box::pin(async move {
            self.pause().await;
            self.rows.find(table, index, values).await
        })
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        Box::pin(async move {
            self.pause().await;
            self.rows.list(list).await
        })
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(async move {
            self.pause().await;
            self.up()?;
            self.rows.commit(batch).await
        })
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            self.pause().await;
            self.up()?;
            self.rows.prune(list).await
        })
    }

    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(async move {
            self.pause().await;
            self.rows.now().await
        })
    }
}
