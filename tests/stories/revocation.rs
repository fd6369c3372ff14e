//! Revocations at a product that ends all of a user's grants together with one token. No other action may revoke a
//! token.

use jiff::SignedDuration;
use serde_json::{Value, json};
use stead::Platform;
use stead_core::{
    environment::Verification,
    resource::{NewConnection, ReadAccount},
};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET};

use crate::{
    browser::Browser,
    stage::{ADA, GRACE, Setting, Stage},
};

/// A link to connect a user of the application, as `(link, authorization_id)`.
async fn link(stage: &Stage, connection: &str, identifier: &str) -> (String, String) {
    let body = json!({
        "connection_name": connection,
        "identifier": identifier,
        "verify_url": "https://app.example/connected",
    });
    let made = stage.post("/v1/authorization-links", &body).await.json();
    let text = |member: &str| made[member].as_str().unwrap().to_owned();
    (text("link"), text("authorization_id"))
}

/// A user of the sandbox has allowed everything and come back. The application hasn't confirmed the user yet.
async fn returned(stage: &Stage, connection: &str, identifier: &str, user: &str) -> String {
    let (link, id) = link(stage, connection, identifier).await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let back = stage.consent(&product, user, &["all"]);
    assert_eq!(browser.visit(&back).await.status, 303);
    id
}

async fn connect(stage: &Stage, connection: &str, identifier: &str, user: &str) {
    let id = returned(stage, connection, identifier, user).await;
    assert_eq!(stage.verify(&id, identifier).await.status, 200);
}

/// A stage with connections to mail and calendar, and Ada's mail connected as `user-1`.
async fn stage() -> Stage {
    let stage = Stage::set(Setting {
        verification: Verification::Application,
        ..Setting::default()
    })
    .await;
    let calendar = NewConnection::calendar("calendar").client(CLIENT_ID, CLIENT_SECRET);
    let environment = stage.platform.environment();
    environment.send(calendar).await.unwrap();
    connect(&stage, "mail", "user-1", ADA).await;
    stage
}

async fn account(stage: &Stage, connection: &str, identifier: &str) -> Value {
    let path = format!("/v1/accounts/{connection}/{identifier}");
    stage.get(&path).await.json()
}

/// Another process over the same database.
async fn reopened(stage: &Stage) -> Platform {
    stage.over_its_store().build().await.unwrap()
}

/// Finishes the pending work at products. Checks that no token was revoked, and that mail still works.
async fn ends_nothing_else(stage: &Stage) {
    stage.platform.environment().maintain().await.unwrap();
    stage.platform.shut_down().await;
    assert_eq!(stage.revocations(), 0);
    let reopened = reopened(stage).await;
    let actions = reopened.actions();
    let drafts = actions.execute_tool("mail_list_drafts", "mail", "user-1", json!({}));
    drafts.await.expect("mail still works");
}

#[tokio::test]
async fn an_abandoned_consent_ends_nothing_else() {
    let stage = stage().await;
    returned(&stage, "calendar", "user-1", ADA).await;
    stage.clock.advance(SignedDuration::from_mins(11));
    ends_nothing_else(&stage).await;
}

#[tokio::test]
async fn a_refused_consent_ends_nothing_else() {
    let stage = stage().await;
    let (link, _) = link(&stage, "calendar", "user-1").await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let back = stage.consent(&product, ADA, &[]);
    assert_eq!(browser.visit(&back).await.status, 403);
    ends_nothing_else(&stage).await;
}

/// Notion may issue the token that another account of the connection uses.
#[tokio::test]
async fn an_abandoned_consent_at_notion_revokes_nothing() {
    let stage = stage().await;
    let workspace =
        NewConnection::workspace("workspace").client(WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET);
    let environment = stage.platform.environment();
    environment.send(workspace).await.unwrap();
    returned(&stage, "workspace", "user-2", ADA).await;
    stage.clock.advance(SignedDuration::from_mins(11));
    let environment = stage.platform.environment();
    environment.maintain().await.unwrap();
    let mallory = returned(&stage, "workspace", "mallory", ADA).await;
    let reply = stage.verify(&mallory, "user-2").await;
    assert_eq!(reply.kind(), "identifier_mismatch");
    ends_nothing_else(&stage).await;
}

/// Someone makes the application create a link for themselves and gets Ada to consent; the application says who came.
#[tokio::test]
async fn a_consent_of_the_wrong_person_ends_nothing_else() {
    let stage = stage().await;
    let id = returned(&stage, "calendar", "mallory", ADA).await;
    let reply = stage.verify(&id, "user-1").await;
    assert_eq!(reply.kind(), "identifier_mismatch");
    ends_nothing_else(&stage).await;
}

#[tokio::test]
async fn a_link_that_expires_ends_nothing_else() {
    let stage = stage().await;
    link(&stage, "calendar", "user-1").await;
    let (opened, _) = link(&stage, "calendar", "user-1").await;
    Browser::new().open(&opened).await;
    stage.clock.advance(SignedDuration::from_mins(16));
    ends_nothing_else(&stage).await;
}

#[tokio::test]
async fn a_superseded_consent_ends_nothing_else() {
    let stage = stage().await;
    let first = returned(&stage, "calendar", "user-1", ADA).await;
    returned(&stage, "calendar", "user-1", ADA).await;
    assert_eq!(stage.verify(&first, "user-1").await.status, 200);
    assert_eq!(
        account(&stage, "calendar", "user-1").await["state"],
        "active"
    );
    ends_nothing_else(&stage).await;
}

#[tokio::test]
async fn a_code_returned_after_a_disconnection_ends_nothing_else() {
    let stage = stage().await;
    let (link, _) = link(&stage, "calendar", "user-1").await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let back = stage.consent(&product, ADA, &["all"]);
    stage.delete("/v1/accounts/calendar/user-1").await;
    assert_eq!(browser.visit(&back).await.status, 410);
    ends_nothing_else(&stage).await;
}

#[tokio::test]
async fn a_consent_of_another_user_of_the_product_ends_nothing_else() {
    let stage = stage().await;
    connect(&stage, "calendar", "user-2", GRACE).await;
    let (link, _) = link(&stage, "calendar", "user-2").await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let back = stage.consent(&product, ADA, &["all"]);
    assert_eq!(browser.visit(&back).await.status, 409);
    assert_eq!(
        account(&stage, "calendar", "user-2").await["state"],
        "active"
    );
    ends_nothing_else(&stage).await;
}

#[tokio::test]
async fn a_disconnection_without_revocation_ends_nothing_else() {
    let stage = stage().await;
    connect(&stage, "calendar", "user-1", ADA).await;
    let ended = stage.delete("/v1/accounts/calendar/user-1").await;
    assert_eq!(ended.json(), json!({ "revocation": "none" }));
    ends_nothing_else(&stage).await;
}

#[tokio::test]
async fn a_requested_revocation_names_and_ends_other_accounts_of_the_grant() {
    const OTHER: &str = "other-project.apps.googleusercontent.com";
    let stage = stage().await;
    stage.sandbox.sandbox.add_client(OTHER, "secret", &[]);
    let other = NewConnection::mail("other").client(OTHER, "secret");
    let environment = stage.platform.environment();
    environment.send(other).await.unwrap();
    for (connection, identifier, user) in [
        ("calendar", "user-1", ADA),
        ("mail", "user-9", ADA),
        ("mail", "user-2", GRACE),
        ("other", "user-1", ADA),
    ] {
        connect(&stage, connection, identifier, user).await;
    }
    // This account isn't usable yet, so its state doesn't change.
    returned(&stage, "calendar", "user-8", ADA).await;

    let ends = json!({
        "revocation": "requested",
        "ends_other_grants": true,
        "also_ends": [
            { "connection_name": "calendar", "identifier": "user-1" },
            { "connection_name": "mail", "identifier": "user-9" },
        ],
    });
    let revoke = "/v1/accounts/mail/user-1?revoke_at_product=true";
    let would_end = stage.delete(&format!("{revoke}&dry_run=true")).await;
    assert_eq!(
        (would_end.status.as_u16(), would_end.json()),
        (200, ends.clone())
    );
    // A dry run doesn't erase either.
    let erased = stage
        .delete("/v1/accounts/mail/user-1?erase=true&dry_run=true")
        .await;
    assert_eq!(erased.json(), json!({ "revocation": "none" }));
    let before = account(&stage, "mail", "user-1").await;
    assert_eq!(
        (&before["state"], stage.revocations()),
        (&json!("active"), 0)
    );

    let ended = stage.delete(revoke).await;
    assert_eq!((ended.status.as_u16(), ended.json()), (200, ends));
    stage.platform.shut_down().await;
    assert_eq!(stage.revocations(), 1);
    let reopened = reopened(&stage).await;
    let environment = reopened.environment();
    for (connection, identifier, state) in [
        ("mail", "user-1", "disconnected"),
        ("calendar", "user-1", "needs_reauthorization"),
        ("mail", "user-9", "needs_reauthorization"),
        ("calendar", "user-8", "pending_verification"),
        ("mail", "user-2", "active"),
        ("other", "user-1", "active"),
    ] {
        let account = environment
            .send(ReadAccount::new(connection, identifier))
            .await
            .unwrap();
        assert_eq!(account.state.name(), state, "{connection}/{identifier}");
    }
}
