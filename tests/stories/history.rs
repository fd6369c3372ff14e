//! The history of calls is complete, small and searchable.

use sqlx::{ConnectOptions as _, Row as _, sqlite::SqliteConnectOptions};
use stead::{
    Platform,
    resource::{ExecutionFilter, ExecutionRecord},
};
use stead_core::{api::Paging, resource::ListExecutions};

use crate::notes::{self, changes, counted, fails};

const CALLS: usize = 20_000;
/// The largest growth of the database per call, in bytes.
const BYTES: u64 = 120;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_thousand_calls_are_stored_in_little_space() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stead.db");
    let platform = notes::platform(&file, None).await.unwrap();
    let pages = async || {
        let mut database = SqliteConnectOptions::new()
            .filename(&file)
            .connect()
            .await
            .unwrap();
        let row = sqlx::query("PRAGMA page_count")
            .fetch_one(&mut database)
            .await
            .unwrap();
        row.get::<i64, _>(0) as u64
    };
    let before = pages().await;
    notes::calls(&platform, 0..CALLS).await;
    platform.environment().shut_down().await;
    let each = (pages().await - before) * 4096 / CALLS as u64;
    assert!(each < BYTES, "{each} bytes per call");

    let totals = notes::totals(&platform).await;
    let of = |is: &dyn Fn(usize) -> bool| (0..CALLS).filter(|number| is(*number)).count() as u64;
    let (read, delete) = ("notes_read_note", "notes_delete_note");
    assert_eq!(counted(&totals, "", ""), CALLS as u64);
    assert_eq!(
        counted(&totals, delete, "ok"),
        of(&|one| changes(one) && !fails(one))
    );
    assert_eq!(
        counted(&totals, read, "ok"),
        of(&|one| !changes(one) && !fails(one))
    );
    assert_eq!(
        counted(&totals, "", "") - counted(&totals, "", "ok"),
        of(&fails)
    );

    let mut filter = ExecutionFilter::default();
    filter.tool = Some(delete.into());
    let found = executions(&platform, &filter).await;
    assert_eq!(found.len() as u64, of(&changes));
    assert!(found.iter().all(|call| call.changes && call.requests == 1));
    assert!(found.is_sorted_by(|one, next| one.started_at >= next.started_at));
    let mut ids: Vec<_> = found.iter().map(|call| call.execution_id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), found.len());

    platform.environment().maintain().await.unwrap();
    assert_eq!(executions(&platform, &filter).await, found);
    filter.identifier = Some(String::from("user-0003@example.com"));
    let of_user = of(&|one| changes(one) && one % notes::USERS == 3);
    assert_eq!(executions(&platform, &filter).await.len() as u64, of_user);
}

/// All executions that match the filter, page by page.
async fn executions(platform: &Platform, filter: &ExecutionFilter) -> Vec<ExecutionRecord> {
    let (mut all, mut token) = (Vec::new(), None::<String>);
    loop {
        let page = platform
            .environment()
            .send(
                ListExecutions::new()
                    .filter(filter.clone())
                    .page(Paging::new(token.as_deref(), 100)),
            )
            .await;
        let page = page.unwrap();
        all.extend(page.items);
        token = page.next_page_token;
        if token.is_none() {
            return all;
        }
    }
}
