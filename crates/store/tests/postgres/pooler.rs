//! The suite through PgBouncer, which gives each transaction another connection of the server.

use std::sync::Arc;

use stead_core::store::Store;
use stead_store::PostgresStore;
use stead_test_postgres::Pooler;
use stead_testkit::runtime::ManualClock;

use crate::server::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_passes_behind_a_pooler_of_transactions() {
    let Some(server) = Server::shared() else {
        return;
    };
    let Some(pooler) = Pooler::start(server) else {
        return;
    };
    stead_testkit::store::suite(async || {
        let url = pooler.url(&server.database().await);
        let store = PostgresStore::open(&url, Arc::new(ManualClock::default())).await;
        Arc::new(store.unwrap()) as Arc<dyn Store>
    })
    .await;
}
