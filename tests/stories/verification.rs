//! The application must confirm who came back before any call works.

use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::json;
use stead_core::environment::Verification;

use crate::{
    browser::Browser,
    stage::{ADA, Setting, Stage},
};

async fn returned(stage: &Stage) -> (String, String) {
    let body = json!({
        "connection_name": "mail",
        "identifier": "user-1",
        "verify_url": "https://app.example/connected?from=mail",
        "state": "kept as it is & safe",
    });
    let link = stage.post("/v1/authorization-links", &body).await.json();
    let mut browser = Browser::new();
    let product = browser.open(link["link"].as_str().unwrap()).await;
    let back = stage.consent(&product, ADA, &["all"]);
    let reply = browser.visit(&back).await;
    assert_eq!(reply.status, 303);
    (
        link["authorization_id"].as_str().unwrap().to_owned(),
        reply.header("location").to_owned(),
    )
}

async fn stage() -> Stage {
    Stage::set(Setting {
        verification: Verification::Application,
        ..Setting::default()
    })
    .await
}

#[tokio::test]
async fn nothing_can_be_called_before_the_application_confirms() {
    let stage = stage().await;
    let (id, location) = returned(&stage).await;
    assert_eq!(
        location,
        format!(
            "https://app.example/connected?from=mail&authorization_id={id}&state=kept+as+it+is+%26+safe"
        )
    );
    assert_eq!(stage.state("user-1").await, "pending_verification");
    assert_eq!(stage.drafts("user-1").await.kind(), "verification_required");

    let verified = stage.verify(&id, "user-1").await;
    assert_eq!(verified.json()["state"], "active", "{}", verified.text());
    assert_eq!(stage.drafts("user-1").await.status, 200);
}

#[tokio::test]
async fn a_confirmation_that_is_repeated_returns_the_account_again() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    let first = stage.verify(&id, "user-1").await.json();
    let again = stage.verify(&id, "user-1").await;
    assert_eq!((again.status.as_u16(), again.json()), (200, first));
    let other = stage.verify(&id, "someone-else").await;
    assert_eq!(other.kind(), "identifier_mismatch");
    assert_eq!(stage.state("user-1").await, "active");
    assert_eq!(stage.drafts("user-1").await.status, 200);
}

#[tokio::test]
async fn two_confirmations_at_the_same_time_both_return_the_account() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    for reply in join_all([stage.verify(&id, "user-1"), stage.verify(&id, "user-1")]).await {
        assert_eq!(reply.json()["state"], "active", "{}", reply.text());
    }
}

#[tokio::test]
async fn the_wrong_person_ends_the_authorization() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    let reply = stage.verify(&id, "someone-else").await;
    assert_eq!(reply.kind(), "identifier_mismatch");
    assert_eq!(stage.state("user-1").await, "pending_authorization");
    assert_eq!(
        stage.drafts("user-1").await.kind(),
        "authorization_required"
    );
    stage.platform.shut_down().await;
    assert_eq!(
        stage.revocations(),
        0,
        "Google would end all of the user's grants"
    );
}

#[tokio::test]
async fn an_unconfirmed_authorization_expires() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    stage.clock.advance(SignedDuration::from_mins(11));
    stage.platform.environment().maintain().await.unwrap();
    assert_eq!(stage.state("user-1").await, "pending_authorization");
    let late = stage.verify(&id, "user-1").await;
    assert_eq!(late.kind(), "authorization_expired");
}

#[tokio::test]
async fn a_link_without_a_safe_verify_url_is_refused() {
    let stage = stage().await;
    let body = json!({ "connection_name": "mail", "identifier": "user-1" });
    let reply = stage.post("/v1/authorization-links", &body).await;
    assert_eq!(reply.kind(), "invalid_request");
    assert_eq!(reply.json()["violations"][0]["path"], "/verify_url");
    for unsafe_url in [
        "http://app.example/",
        "javascript:alert(1)",
        "//evil.test",
        "https://user@evil.test/",
        "https://a.test/#x",
    ] {
        let mut body = body.clone();
        body["verify_url"] = json!(unsafe_url);
        assert_eq!(
            stage.post("/v1/authorization-links", &body).await.kind(),
            "invalid_request",
            "{unsafe_url}"
        );
    }
}

#[tokio::test]
async fn a_reauthorization_that_is_not_confirmed_leaves_the_account_working() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    stage.verify(&id, "user-1").await;
    let (second, _) = returned(&stage).await;
    assert_eq!(stage.drafts("user-1").await.status, 200);
    assert_eq!(stage.state("user-1").await, "active");
    let reply = stage.verify(&second, "user-1").await;
    assert_eq!(reply.status, 200);
    assert_eq!(stage.drafts("user-1").await.status, 200);
}

/// Google would end the working grant together with the new one. So Stead only deletes the new
/// tokens, and doesn't revoke them.
#[tokio::test]
async fn the_wrong_person_at_a_reauthorization_does_not_end_the_working_one() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    stage.verify(&id, "user-1").await;
    let (second, _) = returned(&stage).await;
    let reply = stage.verify(&second, "someone-else").await;
    assert_eq!(reply.kind(), "identifier_mismatch");
    let (_, _) = returned(&stage).await;
    stage.clock.advance(SignedDuration::from_mins(11));
    stage.platform.environment().maintain().await.unwrap();
    assert_eq!(stage.state("user-1").await, "active");
    assert_eq!(stage.drafts("user-1").await.status, 200);
}

#[tokio::test]
async fn the_first_confirmed_of_two_tabs_wins() {
    let stage = stage().await;
    let (first, _) = returned(&stage).await;
    let (second, _) = returned(&stage).await;
    assert_eq!(stage.verify(&first, "user-1").await.status, 200);
    assert_eq!(stage.drafts("user-1").await.status, 200);
    assert_eq!(
        stage.verify(&second, "user-1").await.kind(),
        "authorization_not_found"
    );
    assert_eq!(stage.drafts("user-1").await.status, 200);
}
