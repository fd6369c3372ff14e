//! An intruder in the database, and wrong keys.

use serde_json::json;
use sqlx::{Connection as _, Row as _, SqliteConnection};
use stead::Platform;
use stead_core::ErrorKind;

use crate::stage::{ADA, GRACE, Stage};

pub async fn database(stage: &Stage) -> SqliteConnection {
    SqliteConnection::connect(&format!("sqlite://{}", stage.database.display()))
        .await
        .unwrap()
}

async fn sealed_bodies(database: &mut SqliteConnection) -> Vec<(i64, String)> {
    let rows = sqlx::query("SELECT rowid, body FROM credential ORDER BY rowid")
        .fetch_all(database)
        .await
        .unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

async fn write_body(database: &mut SqliteConnection, row: i64, body: &str) {
    sqlx::query("UPDATE credential SET body = $1 WHERE rowid = $2")
        .bind(body)
        .bind(row)
        .execute(database)
        .await
        .unwrap();
}

/// A platform without a cache, over the same database.
async fn reopened(stage: &Stage, key: &str) -> stead::Result<Platform> {
    stage.over_its_store().key(key).build().await
}

async fn drafts(platform: &Platform, identifier: &str) -> stead::Result<()> {
    let actions = platform.actions();
    let drafts = actions.execute_tool("mail_list_drafts", "mail", identifier, json!({}));
    drafts.await.map(drop)
}

#[tokio::test]
async fn a_changed_ciphertext_is_noticed_and_nothing_is_sent() {
    let stage = Stage::connected().await;
    let mut database = database(&stage).await;
    let (row, body) = sealed_bodies(&mut database).await.remove(0);
    let mut document: serde_json::Value = serde_json::from_str(&body).unwrap();
    let sealed = document["sealed"].as_str().unwrap().to_owned();
    let middle = sealed.len() / 2;
    let other = if &sealed[middle..=middle] == "A" {
        "B"
    } else {
        "A"
    };
    document["sealed"] = json!(format!(
        "{}{other}{}",
        &sealed[..middle],
        &sealed[middle + 1..]
    ));
    write_body(&mut database, row, &document.to_string()).await;

    let before = stage.received();
    let platform = reopened(&stage, &stage.key).await.unwrap();
    let error = drafts(&platform, "user-1").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IntegrityViolated);
    assert_eq!(stage.received(), before);

    write_body(&mut database, row, &body).await;
    let platform = reopened(&stage, &stage.key).await.unwrap();
    let drafts = drafts(&platform, "user-1").await;
    drafts.expect("nothing was lost");
}

#[tokio::test]
async fn a_ciphertext_of_another_account_does_not_open() {
    let stage = Stage::new().await;
    stage.connect("a", ADA).await;
    stage.connect("g", GRACE).await;
    let mut database = database(&stage).await;
    let bodies = sealed_bodies(&mut database).await;
    let [(first, one), (second, other)] = <[_; 2]>::try_from(bodies).unwrap();
    let swap = |into: &str, from: &str| {
        let mut into: serde_json::Value = serde_json::from_str(into).unwrap();
        let from: serde_json::Value = serde_json::from_str(from).unwrap();
        into["sealed"] = from["sealed"].clone();
        into.to_string()
    };
    write_body(&mut database, first, &swap(&one, &other)).await;
    write_body(&mut database, second, &swap(&other, &one)).await;
    let platform = reopened(&stage, &stage.key).await.unwrap();
    for identifier in ["a", "g"] {
        let error = drafts(&platform, identifier).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IntegrityViolated);
    }
}

/// An account row that is assigned to another user can't be decrypted.
#[tokio::test]
async fn an_account_cannot_be_handed_to_another_user() {
    let stage = Stage::new().await;
    stage.connect("a", ADA).await;
    let mut database = database(&stage).await;
    sqlx::query("UPDATE account SET identifier = 'z', body = replace(body, '\"identifier\":\"a\"', '\"identifier\":\"z\"')")
        .execute(&mut database)
        .await
        .unwrap();
    let platform = reopened(&stage, &stage.key).await.unwrap();
    assert_eq!(
        platform
            .account("mail", "z")
            .unwrap()
            .read()
            .await
            .unwrap()
            .identifier
            .as_str(),
        "z"
    );
    let error = drafts(&platform, "z").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IntegrityViolated);
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_named() {
    let stage = Stage::connected().await;
    let mut database = database(&stage).await;
    sqlx::query("UPDATE account SET body = '{'")
        .execute(&mut database)
        .await
        .unwrap();
    let platform = reopened(&stage, &stage.key).await.unwrap();
    let account = platform.account("mail", "user-1").unwrap();
    let error = account.read().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IntegrityViolated);
}

#[tokio::test]
async fn a_wrong_or_missing_key_opens_no_store() {
    let stage = Stage::new().await;
    let id = stage.key.split(':').next().unwrap();
    let same_name = format!("{id}:{}", "A".repeat(43));
    for wrong in [
        "k0:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        same_name.as_str(),
        "",
        "k1",
        "k1:short",
    ] {
        let error = reopened(&stage, wrong).await.map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::KeyUnavailable, "{wrong}");
        assert!(!error.to_string().contains("AAAA"), "a key is not repeated");
    }
    let error = Platform::builder(&stage.url)
        .sqlite(&stage.database)
        .build()
        .await
        .map(drop)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
    assert!(error.message().contains("keys generate"));
    reopened(&stage, &stage.key)
        .await
        .expect("the right key still opens it");
    let ring = format!("k0:{},{}", "A".repeat(43), stage.key);
    reopened(&stage, &ring)
        .await
        .expect("a ring that holds the right key opens it");
}

#[tokio::test]
async fn tokens_of_a_disconnected_account_are_removed_from_the_database() {
    let stage = Stage::connected().await;
    let mut database = database(&stage).await;
    let (_, body) = sealed_bodies(&mut database).await.remove(0);
    let document: serde_json::Value = serde_json::from_str(&body).unwrap();
    let sealed = document["sealed"].as_str().unwrap().to_owned();
    stage.delete("/v1/accounts/mail/user-1").await;
    let (_, body) = sealed_bodies(&mut database).await.remove(0);
    assert!(!body.contains(&sealed));
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut database)
        .await
        .unwrap();
    let bytes = std::fs::read(&stage.database).unwrap();
    assert!(
        !bytes
            .windows(sealed.len())
            .any(|window| window == sealed.as_bytes()),
        "the ciphertext is overwritten in the file"
    );
}
