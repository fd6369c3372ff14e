//! Opens a database from before tokens were bound to a client epoch.

use std::sync::{Arc, Mutex};

use http::{Request, Response};
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, sqlite::SqliteConnectOptions};
use stead::Platform;
use stead_core::{
    ErrorKind,
    api::Paging,
    ports::{Body, BoxFuture, Transport, TransportError},
    resource::{
        AccountFilter, ChangeConnection, ConnectionChange, ListAccounts, VerifyAuthorization,
    },
};

use crate::{clock::Clock, forged_rows::upgrades};

const DATABASE: &str = include_str!("databases/without_epochs.sql");

/// The product. It accepts every request, issues new tokens, and records what it received.
#[derive(Default)]
struct Product(Mutex<Vec<String>>);

impl Transport for Product {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let body = body.collect(64 * 1024).await?;
            let path = head.uri.path().to_owned();
            let bearer = head.headers.get("authorization");
            let shown = match bearer {
                Some(bearer) => bearer.to_str().unwrap().to_owned(),
                None => String::from_utf8_lossy(&body).into_owned(),
            };
            self.0.lock().unwrap().push(format!("{path} {shown}"));
            let tokens = json!({ "access_token": "ya29.new", "expires_in": 3600 });
            let text = if path.ends_with("/token") {
                tokens.to_string()
            } else {
                String::from("{}")
            };
            Ok(Response::new(Body::from(text.into_bytes())))
        })
    }
}

/// The platform over a copy of the database, some minutes after it was written.
async fn opened(directory: &tempfile::TempDir, after: SignedDuration) -> (Platform, Arc<Product>) {
    let (platform, product, _) = opened_by(directory, after).await;
    (platform, product)
}

/// The same, with its clock.
async fn opened_by(
    directory: &tempfile::TempDir,
    after: SignedDuration,
) -> (Platform, Arc<Product>, Arc<Clock>) {
    let path = directory.path().join("stead.db");
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true);
    let mut database = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    database.execute(AssertSqlSafe(DATABASE)).await.unwrap();
    database.close().await.unwrap();
    let key = DATABASE
        .lines()
        .find_map(|line| line.strip_prefix("-- key: "));
    let written: Timestamp = "2026-11-21T23:02:54Z".parse().unwrap();
    let clock = Clock::new();
    use stead_core::ports::Runtime as _;
    clock.advance((written + after).duration_since(clock.now()));
    let product = Arc::new(Product::default());
    let platform = Platform::builder("http://127.0.0.1:8484")
        .key(key.unwrap())
        .sqlite(&path)
        .runtime(Arc::clone(&clock) as _)
        .transport(Arc::clone(&product) as _)
        .build()
        .await
        .unwrap();
    (platform, product, clock)
}

async fn drafts(platform: &Platform, identifier: &str) -> stead::Result<()> {
    let actions = platform.actions();
    let drafts = actions.execute_tool("mail_list_drafts", "mail", identifier, json!({}));
    drafts.await.map(drop)
}

#[tokio::test]
async fn its_tokens_open_and_are_used_and_refreshed() {
    let directory = tempfile::tempdir().unwrap();
    let (platform, product) = opened(&directory, SignedDuration::from_mins(1)).await;
    drafts(&platform, "user-1").await.unwrap();
    let shown = std::mem::take(&mut *product.0.lock().unwrap());
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(shown[0].contains("/drafts Bearer ya29."), "{shown:?}");

    let directory = tempfile::tempdir().unwrap();
    let (platform, product) = opened(&directory, SignedDuration::from_hours(2)).await;
    drafts(&platform, "user-1").await.unwrap();
    let shown = std::mem::take(&mut *product.0.lock().unwrap());
    assert!(shown[0].contains("refresh_token=1%2F%2F"), "{shown:?}");
    assert!(shown[1].ends_with("/drafts Bearer ya29.new"), "{shown:?}");
}

#[tokio::test]
async fn its_unconfirmed_tokens_are_confirmed_and_its_accounts_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let (platform, _) = opened(&directory, SignedDuration::from_mins(1)).await;
    let environment = platform.environment();
    let waiting = "auth_01a200592b45702599ea5946eac15f4e";
    let confirmed = environment
        .send(VerifyAuthorization::new(waiting, "user-2"))
        .await;
    assert_eq!(confirmed.unwrap().state.name(), "active");
    drafts(&platform, "user-2").await.unwrap();
    let all = environment
        .send(
            ListAccounts::new()
                .filter(AccountFilter::default().clone())
                .page(Paging::new(None, 100)),
        )
        .await;
    let all = all.unwrap().items;
    let states: Vec<(&str, &str)> = all
        .iter()
        .map(|account| (account.identifier.as_str(), account.state.name()))
        .collect();
    assert_eq!(
        states,
        [
            ("user-1", "active"),
            (".", "suspended"),
            ("user-4", "disconnected"),
            ("user-2", "active"),
            ("user-3", "pending_authorization"),
        ]
    );
}

#[tokio::test]
async fn another_client_makes_its_accounts_authorize_again() {
    let directory = tempfile::tempdir().unwrap();
    let (platform, product) = opened(&directory, SignedDuration::from_mins(1)).await;
    let change = ConnectionChange::default().client("other", SecretString::from("secret"));
    let environment = platform.environment();
    environment
        .send(ChangeConnection::new("mail", change))
        .await
        .unwrap();
    let error = drafts(&platform, "user-1").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AuthorizationRequired);
    assert_eq!(error.context()["reason"], "client_changed");
    assert_eq!(product.0.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn its_rows_get_macs_after_a_day_and_then_need_them() {
    let directory = tempfile::tempdir().unwrap();
    let (platform, _, clock) = opened_by(&directory, SignedDuration::from_mins(1)).await;
    let path = directory.path().join("stead.db");
    let mut database = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display()))
        .await
        .unwrap();
    upgrades(&platform, |by| clock.advance(by), &mut database).await;
    drafts(&platform, "user-1").await.unwrap();
}
