//! Rows that were changed from outside are refused, by name and without their content.

use stead_core::{
    Error, ErrorKind,
    store::{Batch, Commit, Store as _},
};
use stead_store::SqliteStore;
use stead_testkit::store::sample;

use crate::scratch::{Scratch, run};

async fn commit(store: &SqliteStore, batch: Batch) {
    assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
}

#[tokio::test]
async fn a_tampered_row_is_refused_by_name() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    for number in 1..=2 {
        commit(
            &store,
            sample::full_rows(number)
                .into_iter()
                .fold(Batch::new(), Batch::insert),
        )
        .await;
    }
    let mut tamper = scratch.tamper().await;
    let id = sample::account_id(1);
    let swapped = sample::account_id(2);
    for (change, what) in [
        ("\"body\" = 'secret'".to_owned(), "its body does not read"),
        ("\"body\" = ''".to_owned(), "its body does not read"),
        ("\"body\" = '{}'".to_owned(), "its body does not read"),
        ("\"body\" = x'c328'".to_owned(), "its body is not text"),
        (
            "\"body\" = CAST(x'c328' AS TEXT)".to_owned(),
            "its body is not text",
        ),
        (
            format!("\"body\" = (SELECT \"body\" FROM \"account\" WHERE \"id\" = '{swapped}')"),
            "its columns and its body disagree",
        ),
        (
            "\"body\" = replace(\"body\", 'user 1', 'user 3')".to_owned(),
            "its columns and its body disagree",
        ),
        (
            "\"identifier\" = 'user 3'".to_owned(),
            "its columns and its body disagree",
        ),
        (
            "\"identifier\" = x'00'".to_owned(),
            "its columns and its body disagree",
        ),
        ("\"version\" = 0".to_owned(), "its version is below 1"),
        (
            "\"version\" = 'two'".to_owned(),
            "its version is not a number",
        ),
        (
            "\"version\" = 1.5".to_owned(),
            "its version is not a number",
        ),
    ] {
        run(&mut tamper, "SAVEPOINT \"before\"").await;
        run(
            &mut tamper,
            "CREATE TEMP TABLE \"kept\" AS SELECT * FROM \"account\"",
        )
        .await;
        assert_eq!(
            run(
                &mut tamper,
                &format!("UPDATE \"account\" SET {change} WHERE \"id\" = '{id}'")
            )
            .await,
            1
        );
        run(&mut tamper, "RELEASE \"before\"").await;

        let error = store.account(id).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{change}");
        assert_eq!(
            error.message(),
            format!("row {id} of table account cannot be used: {what}"),
            "{change}"
        );
        assert_eq!(error.context()["table"], "account");
        assert!(!shown(&error).contains("secret"), "{error:?}");
        // A page says so too; other rows are as good as before.
        assert_eq!(
            store.accounts(None, None, 10).await.unwrap_err().kind(),
            ErrorKind::IntegrityViolated
        );
        assert_eq!(
            store.account(swapped).await.unwrap().unwrap().row,
            sample::account(2)
        );

        assert_eq!(run(&mut tamper, "DELETE FROM \"account\"").await, 2);
        assert_eq!(
            run(
                &mut tamper,
                "INSERT INTO \"account\" SELECT * FROM \"kept\""
            )
            .await,
            2
        );
        run(&mut tamper, "DROP TABLE \"kept\"").await;
        assert_eq!(
            store.account(id).await.unwrap().unwrap().row,
            sample::account(1)
        );
    }
}

#[tokio::test]
async fn every_column_is_held_against_the_body() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    commit(
        &store,
        sample::full_rows(1)
            .into_iter()
            .fold(Batch::new(), Batch::insert),
    )
    .await;
    let mut tamper = scratch.tamper().await;
    for (table, column) in [
        ("credential", "live"),
        ("credential", "created_at"),
        ("authorization", "account_id"),
        ("authorization", "link"),
        ("authorization", "oauth_state"),
        ("authorization", "pending"),
        ("authorization", "expires_at"),
        ("access_token", "expires_at"),
        ("execution", "started_at"),
        ("event", "at"),
        ("outbox", "due_at"),
    ] {
        let change = |back: &str| format!("UPDATE \"{table}\" SET \"{column}\" = {back}");
        let kept: String = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
            "SELECT quote(\"{column}\") FROM \"{table}\""
        )))
        .fetch_one(&mut tamper)
        .await
        .unwrap();
        assert_eq!(run(&mut tamper, &change("0")).await, 1);
        let error = match table {
            "credential" => store
                .credential(sample::account_id(1), 1)
                .await
                .unwrap_err(),
            "authorization" => store
                .authorization(sample::authorization_id(1))
                .await
                .unwrap_err(),
            "access_token" => store
                .access_token(&sample::access_token(1).token)
                .await
                .unwrap_err(),
            "execution" => store.executions(None, 10).await.unwrap_err(),
            "event" => store.events(None, 10).await.unwrap_err(),
            _ => store.due(jiff::Timestamp::MAX, 10).await.unwrap_err(),
        };
        assert_eq!(
            error.kind(),
            ErrorKind::IntegrityViolated,
            "{table}.{column}"
        );
        assert_eq!(run(&mut tamper, &change(&kept)).await, 1);
    }
    assert!(
        store
            .credential(sample::account_id(1), 1)
            .await
            .unwrap()
            .is_some()
    );
}

fn shown(error: &Error) -> String {
    format!("{error} {error:?} {:?}", error.to_problem())
}
