//! A store with counted and timed operations.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;

use super::{Batch, Commit, Found, Index, Key, List, Row, Store, Table, Value, Versioned};
use crate::{
    ErrorKind, Result,
    metrics::{Metrics, StoreOperation, StoreOutcome},
    ports::{BoxFuture, Runtime},
};

/// Another store, and the metrics of its operations.
pub(crate) struct Measured {
    store: Arc<dyn Store>,
    runtime: Arc<dyn Runtime>,
    metrics: Arc<Metrics>,
}

impl Measured {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        runtime: Arc<dyn Runtime>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            store,
            runtime,
            metrics,
        }
    }

    async fn measure<T>(
        &self,
        operation: StoreOperation,
        work: BoxFuture<'_, Result<T>>,
        outcome: fn(&T) -> StoreOutcome,
    ) -> Result<T> {
        let began = self.runtime.monotonic();
        let result = work.await;
        let outcome = match &result {
            Ok(response) => outcome(response),
            Err(error) if error.kind() == ErrorKind::StorageUnavailable => StoreOutcome::Failed,
            // The store has responded.
            Err(_) => StoreOutcome::Ok,
        };
        let took: Duration = self.runtime.monotonic().saturating_sub(began);
        self.metrics.store(operation, outcome, took);
        result
    }

    fn read<'a, T: Send + 'a>(
        &'a self,
        reading: BoxFuture<'a, Result<T>>,
    ) -> BoxFuture<'a, Result<T>> {
        Box::pin(self.measure(StoreOperation::Read, reading, |_| StoreOutcome::Ok))
    }
}

impl Store for Measured {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        self.read(self.store.get(key))
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        self.read(self.store.find(table, index, values))
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        self.read(self.store.list(list))
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        let work = self.store.commit(batch);
        Box::pin(
            self.measure(StoreOperation::Commit, work, |commit| match commit {
                Commit::Committed => StoreOutcome::Ok,
                Commit::Conflict => StoreOutcome::Conflict,
            }),
        )
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        let work = self.store.prune(list);
        Box::pin(self.measure(StoreOperation::Prune, work, |_| StoreOutcome::Ok))
    }

    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        self.read(self.store.now())
    }

    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        self.read(self.store.ready())
    }

    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    fn restored_at(&self) -> BoxFuture<'_, Result<Option<Timestamp>>> {
        self.store.restored_at()
    }
}
