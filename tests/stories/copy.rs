//! Moves an environment from a file to PostgreSQL and back. Its users notice nothing.

use std::sync::Arc;

use stead::{TokioRuntime, store::StoreCopy};
use stead_test_postgres::Server;

use crate::{
    browser::Browser,
    place::{Database, Place},
    stage::{ADA, GRACE, Stage},
};

async fn copy(from: &str, to: &str) {
    let copy = StoreCopy::new(from, to).unwrap();
    let runtime = Arc::new(TokioRuntime::current().unwrap());
    copy.run(runtime, &mut |_| {}).await.unwrap();
}

/// Checks that the application and a connected user can continue, and that another user can still open an earlier link.
async fn goes_on(stage: &Stage, newcomer: &str, link: &str) {
    assert_eq!(stage.state("user-1").await, "active");
    let drafts = stage.drafts("user-1").await;
    assert_eq!(drafts.status, 200, "{}", drafts.text());
    let done = Browser::new().connect(stage, link, GRACE).await;
    assert_eq!(done.status, 200, "{}", done.text());
    let drafts = stage.drafts(newcomer).await;
    assert_eq!(drafts.status, 200, "{}", drafts.text());
    // Earlier events are still there.
    let events = stage.get("/v1/events?limit=100").await.text();
    assert!(events.contains("account.activated"), "{events}");
    // The application's credential still works, like its token.
    assert!(!stage.token().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_tokens_and_keys_survive_a_copy_to_another_database_and_back() {
    let Some(server) = Server::shared() else {
        return;
    };
    let mut stage = Stage::new().await;
    stage.connect("user-1", ADA).await;
    let (second, third) = (stage.link("user-2").await, stage.link("user-3").await);
    let before = stage.drafts("user-1").await.json();
    stage.stop().await;

    let first = stage.store();
    let database = Database::new(|name| server.url(name));
    let url = database.url.clone();
    copy(&first, &url).await;
    stage.start_over(Place::Database(database)).await;
    goes_on(&stage, "user-2", &second).await;
    assert_eq!(stage.drafts("user-1").await.json()["data"], before["data"]);

    // Copies back into a new file, with all changes since.
    stage.stop().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("back.db");
    copy(&url, &format!("sqlite:{}", file.display())).await;
    stage.start_over(Place::File(file)).await;
    goes_on(&stage, "user-3", &third).await;
    assert_eq!(stage.drafts("user-2").await.status, 200);
}
