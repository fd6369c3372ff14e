//! An in-memory spool of one machine, with processes that a test can kill.

use std::{
    collections::BTreeMap,
    future::ready,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    Error, ErrorKind, Result,
    ports::{BoxFuture, Spool, Spooled},
};

/// The spool of one machine.
#[derive(Default)]
pub(crate) struct Machine {
    records: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Running processes, by the IDs that they registered.
    running: Mutex<BTreeMap<String, u32>>,
    /// Whether its disk is full.
    full: AtomicBool,
    /// Whether it fails to delete records.
    stuck: AtomicBool,
}

impl Machine {
    /// The spool as a process of the machine sees it. `kept` is called for each record that it stores.
    pub(crate) fn spool(
        self: &Arc<Self>,
        process: u32,
        kept: impl Fn() + Send + Sync + 'static,
    ) -> Arc<dyn Spool> {
        Arc::new(SpoolOf {
            machine: Arc::clone(self),
            process,
            kept: Box::new(kept),
        })
    }

    pub(crate) fn set_full(&self, full: bool) {
        self.full.store(full, Ordering::SeqCst);
    }

    pub(crate) fn set_stuck(&self, stuck: bool) {
        self.stuck.store(stuck, Ordering::SeqCst);
    }

    pub(crate) fn end(&self, process: u32) {
        lock(&self.running).retain(|_, running| *running != process);
    }
}

struct SpoolOf {
    machine: Arc<Machine>,
    process: u32,
    kept: Box<dyn Fn() + Send + Sync>,
}

impl Spool for SpoolOf {
    fn enter<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<()>> {
        lock(&self.machine.running).insert(process.to_owned(), self.process);
        Box::pin(ready(Ok(())))
    }

    fn has_ended<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<bool>> {
        let ended = !lock(&self.machine.running).contains_key(process);
        Box::pin(ready(Ok(ended)))
    }

    fn put<'a>(&'a self, name: &'a str, record: &'a [u8]) -> BoxFuture<'a, Result<()>> {
        if self.machine.full.load(Ordering::SeqCst) {
            let full = Error::new(ErrorKind::StorageUnavailable, "the disk is full");
            return Box::pin(ready(Err(full)));
        }
        lock(&self.machine.records).insert(name.to_owned(), record.to_vec());
        (self.kept)();
        Box::pin(ready(Ok(())))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Spooled>>> {
        let records = lock(&self.machine.records).clone();
        Box::pin(ready(Ok(records.into_iter().collect())))
    }

    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<()>> {
        if self.machine.stuck.load(Ordering::SeqCst) {
            let stuck = Error::new(ErrorKind::StorageUnavailable, "the disk is read-only");
            return Box::pin(ready(Err(stuck)));
        }
        lock(&self.machine.records).remove(name);
        Box::pin(ready(Ok(())))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
