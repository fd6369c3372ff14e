//! The suite for all stores.

use std::sync::Arc;

use crate::scratch::{Scratch, clock};
use stead_core::store::Store;
use stead_store::SqliteStore;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_passes_on_several_threads() {
    passes().await;
}

#[tokio::test(flavor = "current_thread")]
async fn sqlite_passes_on_one_thread() {
    passes().await;
}

async fn passes() {
    let scratch = Scratch::new();
    let files = std::sync::atomic::AtomicU32::new(0);
    stead_testkit::store::suite(async || {
        let number = files.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = scratch.path().join(format!("{number}.db"));
        Arc::new(SqliteStore::open(path, clock()).await.unwrap()) as Arc<dyn Store>
    })
    .await;
}
