//! Opening: several at once, older and newer versions, databases of other programs, copies, and messages about a place.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures_util::future::join_all;
use sqlx::Row as _;
use stead_core::{
    ErrorKind,
    store::{Batch, ColumnKind, Commit, Store as _, TABLES, Write},
};
use stead_store::{PostgresOptions, PostgresStore, inspect_postgres};
use stead_testkit::{runtime::ManualClock, store::sample};

use crate::server::{Server, run};

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::default())
}

#[tokio::test]
async fn concurrent_starts_create_the_schema_once() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let url = server.url(&database);
    let opened = join_all((0..8).map(|_| PostgresStore::open(&url, clock()))).await;
    for store in opened {
        store.unwrap().ready().await.unwrap();
    }
    let inspection = inspect_postgres(&url).await.unwrap();
    let mut tamper = server.tamper(&database).await;
    let rows = sqlx::query(
        "SELECT \"version\" FROM \"stead_schema\" UNION ALL SELECT \"version\" FROM \"stead_schema_expansion\" ORDER BY 1",
    );
    let rows = rows.fetch_all(&mut tamper).await.unwrap();
    let versions: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    let known = i64::try_from(inspection.known_schema).unwrap();
    assert_eq!(versions, (1..=known).collect::<Vec<_>>());
    assert_eq!(inspection.schema, inspection.known_schema);
    assert_eq!(inspection.not_durable.as_deref(), Some("fsync = off"));
}

#[tokio::test]
async fn an_older_version_continues_after_an_expanding_migration() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let time = ManualClock::default();
    let url = server.url(&database);
    let store = PostgresStore::open(&url, Arc::new(time.clone()))
        .await
        .unwrap();
    let mut tamper = server.tamper(&database).await;
    run(
        &mut tamper,
        "ALTER TABLE \"event\" ADD COLUMN \"later\" TEXT",
    )
    .await;
    run(
        &mut tamper,
        "INSERT INTO \"stead_schema_expansion\" VALUES (999, now())",
    )
    .await;
    let again = PostgresStore::open(&url, clock()).await.unwrap();
    time.advance(Duration::from_secs(1));
    for (store, number) in [(&store, 1), (&again, 2)] {
        let event = sample::row(sample::table("event"), number);
        let batch = Batch::new().write(Write::Insert(event));
        assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
    }
    let inspection = inspect_postgres(&url).await.unwrap();
    assert_eq!(inspection.schema, 999);
    assert!(inspection.needed_schema <= inspection.known_schema);
}

#[tokio::test]
async fn an_older_version_refuses_a_changed_schema() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let time = ManualClock::default();
    let url = server.url(&database);
    let store = PostgresStore::open(&url, Arc::new(time.clone()))
        .await
        .unwrap();
    let insert = |number| {
        let event = sample::row(sample::table("event"), number);
        Batch::new().write(Write::Insert(event))
    };
    assert_eq!(store.commit(insert(1)).await.unwrap(), Commit::Committed);
    let mut tamper = server.tamper(&database).await;
    run(
        &mut tamper,
        "INSERT INTO \"stead_schema\" VALUES (999, now())",
    )
    .await;
    time.advance(Duration::from_secs(1));
    let error = store.commit(insert(2)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    let expected =
        "the store doesn't respond: a newer Stead changed the store's schema to version 999";
    assert!(error.message().starts_with(expected), "{error}");
    assert!(store.ready().await.is_err());
    // Reads still work.
    let first = sample::row(sample::table("event"), 1);
    assert!(store.get(&first.key()).await.unwrap().is_some());

    let error = PostgresStore::open(&url, clock()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    let expected = "a newer Stead wrote the store (schema version 999, this Stead supports up to ";
    assert!(error.message().contains(expected), "{error}");
}

#[tokio::test]
async fn a_database_of_another_program_is_unchanged() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let mut tamper = server.tamper(&database).await;
    run(&mut tamper, "CREATE TABLE \"invoice\" (\"id\" INT)").await;
    for error in [
        PostgresStore::open(&server.url(&database), clock())
            .await
            .unwrap_err(),
        inspect_postgres(&server.url(&database)).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
        let expected = "the database belongs to another program; create one for Stead";
        assert!(error.message().ends_with(expected), "{error}");
    }
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    let row = sqlx::query(tables).fetch_one(&mut tamper).await.unwrap();
    assert_eq!(row.get::<i64, _>(0), 1);
}

#[tokio::test]
async fn a_restored_copy_of_the_database_is_noticed_once() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    for _ in 0..2 {
        let store = server.open(&database).await;
        assert_eq!(store.restored_at().await.unwrap(), None);
        store.close().await;
    }
    let mut maintenance = server.tamper("postgres").await;
    let copy = format!("{database}_copy");
    run(
        &mut maintenance,
        &format!("CREATE DATABASE {copy} TEMPLATE {database}"),
    )
    .await;
    let store = server.open(&copy).await;
    let restored_at = store.restored_at().await.unwrap().unwrap();
    assert!(restored_at <= store.now().await.unwrap());
    let again = server.open(&copy).await;
    assert_eq!(again.restored_at().await.unwrap(), Some(restored_at));
}

#[tokio::test]
async fn a_failed_opening_says_why_without_the_password() {
    let options = PostgresOptions::default().with_wait(Duration::from_millis(100));
    // No one listens at port 1.
    let url = "postgres://ada:topsecret@127.0.0.1:1/stead";
    let error = PostgresStore::open_with(url, clock(), options.clone())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    assert_eq!(
        error.message(),
        "can't open database stead at 127.0.0.1:1 as ada: the store doesn't respond: couldn't connect in time; \
         its server can't be reached, is starting or is busy"
    );
    assert!(!format!("{error:?}").contains("topsecret"), "{error:?}");
    let Some(server) = Server::shared() else {
        return;
    };
    let url = server.url("nothing").replace("stead@", "stead:topsecret@");
    let error = PostgresStore::open_with(&url, clock(), options)
        .await
        .unwrap_err();
    assert!(
        error
            .message()
            .ends_with("database \"nothing\" does not exist"),
        "{error}"
    );
    assert!(!format!("{error:?}").contains("topsecret"), "{error:?}");
}

/// Every way to find rows has its index, and compares all texts in its columns by their bytes.
#[tokio::test]
async fn every_look_up_has_an_index_in_the_order_of_bytes() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    drop(server.open(&database).await);
    let mut tamper = server.tamper(&database).await;
    let indexes = "SELECT tablename::text, indexdef FROM pg_indexes WHERE schemaname = 'public'";
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in sqlx::query(indexes).fetch_all(&mut tamper).await.unwrap() {
        found.entry(row.get(0)).or_default().push(row.get(1));
    }
    let columns = "SELECT table_name::text || '.' || column_name::text FROM information_schema.columns \
        WHERE table_schema = 'public' AND collation_name = 'C'";
    let rows = sqlx::query(columns).fetch_all(&mut tamper).await.unwrap();
    let by_bytes: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    for table in TABLES {
        for index in table.indexes.iter().chain([&table.key]) {
            let columns = format!("({})", index.columns.join(", "));
            let is_there = found[table.name].iter().any(|definition| {
                let definition = definition.replace('"', "");
                definition.ends_with(&columns)
                    && (!index.unique || definition.starts_with("CREATE UNIQUE"))
            });
            assert!(is_there, "{} {index:?}", table.name);
        }
        for column in table.columns {
            let is_text = matches!(column.kind, ColumnKind::Text | ColumnKind::OptionalText);
            let name = format!("{}.{}", table.name, column.name);
            assert_eq!(by_bytes.contains(&name), is_text, "{name}");
        }
    }
}
