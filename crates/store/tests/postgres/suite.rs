//! The suite for all stores.

use std::sync::Arc;

use stead_core::store::Store;
use stead_store::PostgresStore;
use stead_testkit::runtime::ManualClock;

use crate::server::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_passes() {
    let Some(server) = Server::shared() else {
        return;
    };
    stead_testkit::store::suite(async || {
        let url = server.url(&server.database().await);
        let store = PostgresStore::open(&url, Arc::new(ManualClock::default())).await;
        Arc::new(store.unwrap()) as Arc<dyn Store>
    })
    .await;
}
