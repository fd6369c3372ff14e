//! The platform over a database of the first schema.
//!
//! The platform of that time created `fixtures/first.db` with the sandbox. It connected `ada` and `grace`, refreshed
//! `ada`, started another authorization, issued a token to the application, and disconnected `grace` while the product
//! was unreachable.

use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::{
    ErrorKind, Paging, Platform, Verification,
    resource::{
        AccountState, ChangeConnection, DisconnectAccount, Disconnection, ListConnections,
        ReadAccount, ResumeAccount, SuspendAccount,
    },
};

const KEY: &str = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const CLIENT_ID: &str = "app_01a1ff3a3c52700fbbf96c5d3eb3e1f1";
const CLIENT_SECRET: &str = "stead_secret_W5iPha0WxSFB1v8sL3PoPjpcEMgOYomNtWIqc-WdANM";
const TOKEN: &str = "stead_token_xtHZNkX7JEAQmmyWep0qhhhH7vrDagPwLCP5NRGwhwI";

#[tokio::test]
async fn a_database_of_the_first_schema_is_read_and_changed() {
    let path = std::env::temp_dir().join(format!("stead-first-{}.db", std::process::id()));
    let first = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/first.db");
    std::fs::copy(first, &path).unwrap();
    // Nothing listens there.
    let platform = Platform::builder("http://127.0.0.1")
        .key(KEY)
        .gateway("http://127.0.0.1:9")
        .verification(Verification::LinkPossession)
        .sqlite(&path)
        .build()
        .await
        .unwrap();
    let environment = platform.environment();

    let connections = environment
        .send(ListConnections::new().page(Paging::new(None, 10)))
        .await
        .unwrap()
        .items;
    let names: Vec<String> = connections
        .into_iter()
        .map(|one| one.connection_name.into())
        .collect();
    assert_eq!(names, ["draft", "mail"]);
    for (user, state) in [
        ("ada", AccountState::Active),
        ("grace", AccountState::Disconnected),
    ] {
        assert_eq!(
            environment
                .send(ReadAccount::new("mail", user))
                .await
                .unwrap()
                .state,
            state
        );
    }
    // It may have expired by the time this test runs.
    if let Err(error) = environment.authenticate(TOKEN).await {
        assert_ne!(error.kind(), ErrorKind::IntegrityViolated);
    }
    let issued = environment
        .issue_access_token(CLIENT_ID, CLIENT_SECRET, None)
        .await
        .unwrap();
    environment
        .authenticate(issued.access_token.expose_secret())
        .await
        .unwrap();

    for disabled in [true, false] {
        let change: stead::ConnectionChange =
            serde_json::from_value(json!({ "disabled": disabled })).unwrap();
        environment
            .send(ChangeConnection::new("mail", change))
            .await
            .unwrap();
    }
    environment
        .send(SuspendAccount::new("mail", "ada"))
        .await
        .unwrap();
    let resumed = environment
        .send(ResumeAccount::new("mail", "ada"))
        .await
        .unwrap();
    assert_eq!(resumed.state, AccountState::Active);
    // Expires the authorization that was in progress, and tries the outbox again.
    environment.maintain().await.unwrap();
    platform
        .actions()
        .authorization_link("mail", "grace")
        .await
        .unwrap();
    // Decrypts the credential to revoke it, and shreds it.
    environment
        .send(
            DisconnectAccount::new("mail", "ada").how(Disconnection::new().revoke_at_product(true)),
        )
        .await
        .unwrap();
    let account = environment
        .send(ReadAccount::new("mail", "ada"))
        .await
        .unwrap();
    assert_eq!(account.state, AccountState::Disconnected);
    platform.shut_down().await;
    std::fs::remove_file(path).unwrap();
}
