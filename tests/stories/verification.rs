//! The application confirms who came back, before anything can be called.

use jiff::SignedDuration;
use serde_json::json;
use stead::core::environment::Verification;

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
    assert_eq!(
        stage.account("user-1").await["state"],
        "pending_verification"
    );
    assert_eq!(
        stage
            .execute("mail_list_drafts", "user-1", json!({}))
            .await
            .kind(),
        "verification_required"
    );

    let verified = stage
        .post(
            &format!("/v1/authorizations/{id}/verify"),
            &json!({ "identifier": "user-1" }),
        )
        .await;
    assert_eq!(verified.json()["state"], "active", "{}", verified.text());
    assert_eq!(
        stage
            .execute("mail_list_drafts", "user-1", json!({}))
            .await
            .status,
        200
    );

    let again = stage
        .post(
            &format!("/v1/authorizations/{id}/verify"),
            &json!({ "identifier": "user-1" }),
        )
        .await;
    assert_eq!(again.kind(), "authorization_consumed");
}

#[tokio::test]
async fn the_wrong_person_ends_the_authorization() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    let reply = stage
        .post(
            &format!("/v1/authorizations/{id}/verify"),
            &json!({ "identifier": "someone-else" }),
        )
        .await;
    assert_eq!(reply.kind(), "identifier_mismatch");
    assert_eq!(
        stage.account("user-1").await["state"],
        "pending_authorization"
    );
    assert_eq!(
        stage
            .execute("mail_list_drafts", "user-1", json!({}))
            .await
            .kind(),
        "authorization_required"
    );
    stage.platform.shut_down().await;
    let revoked = stage
        .sandbox
        .sandbox
        .received()
        .into_iter()
        .filter(|request| request.path.ends_with("/revoke"))
        .count();
    assert_eq!(revoked, 1, "the pending tokens are revoked");
}

#[tokio::test]
async fn who_never_confirms_gets_nothing() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    stage.clock.advance(SignedDuration::from_mins(11));
    stage.platform.environment().maintain().await.unwrap();
    assert_eq!(
        stage.account("user-1").await["state"],
        "pending_authorization"
    );
    let late = stage
        .post(
            &format!("/v1/authorizations/{id}/verify"),
            &json!({ "identifier": "user-1" }),
        )
        .await;
    assert_eq!(late.kind(), "authorization_expired");
}

#[tokio::test]
async fn a_link_without_a_way_back_is_refused() {
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
    stage
        .post(
            &format!("/v1/authorizations/{id}/verify"),
            &json!({ "identifier": "user-1" }),
        )
        .await;
    let (second, _) = returned(&stage).await;
    assert_eq!(
        stage
            .execute("mail_list_drafts", "user-1", json!({}))
            .await
            .status,
        200
    );
    assert_eq!(stage.account("user-1").await["state"], "active");
    let reply = stage
        .post(
            &format!("/v1/authorizations/{second}/verify"),
            &json!({ "identifier": "user-1" }),
        )
        .await;
    assert_eq!(reply.status, 200);
    assert_eq!(
        stage
            .execute("mail_list_drafts", "user-1", json!({}))
            .await
            .status,
        200
    );
}

/// Google would end the working grant together with the new one, so the new one is shredded and not revoked.
#[tokio::test]
async fn the_wrong_person_at_a_reauthorization_does_not_end_the_working_one() {
    let stage = stage().await;
    let (id, _) = returned(&stage).await;
    stage
        .post(
            &format!("/v1/authorizations/{id}/verify"),
            &json!({ "identifier": "user-1" }),
        )
        .await;
    let (second, _) = returned(&stage).await;
    let reply = stage
        .post(
            &format!("/v1/authorizations/{second}/verify"),
            &json!({ "identifier": "someone-else" }),
        )
        .await;
    assert_eq!(reply.kind(), "identifier_mismatch");
    let (_, _) = returned(&stage).await;
    stage.clock.advance(SignedDuration::from_mins(11));
    stage.platform.environment().maintain().await.unwrap();
    assert_eq!(stage.account("user-1").await["state"], "active");
    assert_eq!(
        stage
            .execute("mail_list_drafts", "user-1", json!({}))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn of_two_tabs_the_first_to_be_confirmed_wins_and_nothing_breaks() {
    let stage = stage().await;
    let (first, _) = returned(&stage).await;
    let (second, _) = returned(&stage).await;
    let verify = async |id: &str| {
        stage
            .post(
                &format!("/v1/authorizations/{id}/verify"),
                &json!({ "identifier": "user-1" }),
            )
            .await
    };
    assert_eq!(verify(&first).await.status, 200);
    assert_eq!(
        stage
            .execute("mail_list_drafts", "user-1", json!({}))
            .await
            .status,
        200
    );
    assert_eq!(verify(&second).await.kind(), "authorization_not_found");
    assert_eq!(
        stage
            .execute("mail_list_drafts", "user-1", json!({}))
            .await
            .status,
        200
    );
}
