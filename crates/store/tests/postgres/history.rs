//! The size of the history.

use stead_core::store::{Batch, Commit, Row, Store as _, Write};
use stead_testkit::store::sample;

use crate::server::Server;

/// Maximum bytes of a call in the history, with indexes.
const MOST_BYTES: i64 = 200;

#[tokio::test]
async fn a_call_takes_at_most_200_bytes() {
    const CALLS: u32 = 100_000;
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let store = server.open(&database).await;
    let calls: Vec<Row> = sample::calls(CALLS).collect();
    for some in calls.chunks(20) {
        let writes = some.iter().cloned().map(Write::Insert);
        let batch = writes.fold(Batch::new(), Batch::write);
        assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
    }
    let mut connection = server.tamper(&database).await;
    let bytes: i64 = sqlx::query_scalar("SELECT pg_total_relation_size('\"call\"')")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    let each = bytes / i64::from(CALLS);
    println!("{each} bytes a call");
    assert!(each <= MOST_BYTES, "{each}");
}
