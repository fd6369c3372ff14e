//! A store that counts its reads and can let them fail.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;

use super::World;
use crate::{
    Error, ErrorKind, Result,
    ports::{BoxFuture, Runtime},
    store::{
        Batch, Commit, Found, Index, Key, List, MemoryStore, Row, Store, Table, Value, Versioned,
    },
};

/// How reads end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Present,
    /// They succeed after a moment.
    Slow,
    /// They fail immediately.
    Failing,
    /// They fail after the time that a pool waits for a connection.
    Away,
}

/// A store whose reads can fail and are counted.
pub(crate) struct Readings {
    rows: MemoryStore,
    runtime: Arc<dyn Runtime>,
    mode: Mutex<Mode>,
    count: AtomicUsize,
    lists: AtomicUsize,
}

impl Readings {
    pub(crate) fn new(world: &World) -> Arc<Self> {
        Arc::new(Self {
            rows: MemoryStore::new(world.process(0)),
            runtime: world.process(0),
            mode: Mutex::new(Mode::Present),
            count: AtomicUsize::new(0),
            lists: AtomicUsize::new(0),
        })
    }

    pub(crate) fn set(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
    }

    /// Number of lookups so far.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Number of lists that were read so far. Each look at the feed reads one.
    pub(crate) fn lists(&self) -> usize {
        self.lists.load(Ordering::SeqCst)
    }

    async fn reading(&self, count: &AtomicUsize) -> Result<()> {
        count.fetch_add(1, Ordering::SeqCst);
        self.responds().await
    }

    async fn responds(&self) -> Result<()> {
        let mode = *self.mode.lock().unwrap();
        match mode {
            Mode::Present => Ok(()),
            Mode::Slow => {
                self.runtime.sleep(Duration::from_millis(10)).await;
                Ok(())
            }
            Mode::Failing => Err(no_connection()),
            Mode::Away => {
                self.runtime.sleep(Duration::from_secs(5)).await;
                Err(no_connection())
            }
        }
    }
}

fn no_connection() -> Error {
    Error::new(ErrorKind::StorageUnavailable, "no connection")
}

impl Store for Readings {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        Box::pin(async move {
            self.reading(&self.count).await?;
            self.rows.get(key).await
        })
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        Box::pin(async move {
            self.reading(&self.count).await?;
            self.rows.find(table, index, values).await
        })
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        Box::pin(async move {
            self.reading(&self.lists).await?;
            self.rows.list(list).await
        })
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        self.rows.commit(batch)
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        self.rows.prune(list)
    }

    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(async move {
            self.responds().await?;
            self.rows.now().await
        })
    }
}
