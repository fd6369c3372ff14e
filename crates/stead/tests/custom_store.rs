//! The example's store passes the suite for all stores.

#[path = "../examples/custom_store.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod custom_store;

use std::sync::Arc;

use custom_store::MapStore;
use stead::store::Store;
use stead_testkit::{runtime::ManualClock, store};

#[tokio::test]
async fn a_custom_store_passes_the_suite() {
    store::suite(async || {
        Arc::new(MapStore::new(Arc::new(ManualClock::default()))) as Arc<dyn Store>
    })
    .await;
}

#[test]
fn a_custom_store_stays_small() {
    let lines = include_str!("../examples/custom_store.rs").lines().count();
    assert!(lines <= 150, "{lines} lines");
}
