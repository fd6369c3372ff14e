//! An application reads the accounts of its users.

use serde_json::{Value, json};
use stead_sandbox::Fault;

use crate::stage::Stage;

async fn health(stage: &Stage) -> (Value, Value) {
    let mut account = stage.account("user-1").await;
    (account["state"].take(), account["health"].take())
}

#[tokio::test]
async fn health_is_ok_only_if_calls_can_be_made() {
    let stage = Stage::connected().await;
    assert_eq!(health(&stage).await, (json!("active"), json!("ok")));
    stage
        .post("/v1/accounts/mail/user-1/suspend", &json!({}))
        .await;
    assert_eq!(
        health(&stage).await,
        (json!("suspended"), json!("unusable"))
    );
    stage
        .post("/v1/accounts/mail/user-1/resume", &json!({}))
        .await;
    assert_eq!(health(&stage).await, (json!("active"), json!("ok")));
    stage.fault(Fault::Revoke { user: None });
    stage.drafts("user-1").await;
    assert_eq!(
        health(&stage).await,
        (json!("needs_reauthorization"), json!("unusable"))
    );
    stage.delete("/v1/accounts/mail/user-1").await;
    assert_eq!(
        health(&stage).await,
        (json!("disconnected"), json!("unusable"))
    );
    stage.link("user-1").await;
    assert_eq!(
        health(&stage).await,
        (json!("pending_authorization"), json!("unusable"))
    );
}

#[tokio::test]
async fn no_tool_is_ready_through_a_connection_that_is_disabled() {
    let stage = Stage::connected().await;
    let readiness = async || {
        let tools = stage.get("/v1/tools?product=mail&identifier=user-1").await;
        let tools = tools.json();
        let mut tools = tools["items"].as_array().unwrap().iter();
        let drafts = tools.find(|tool| tool["name"] == "mail_list_drafts");
        drafts.unwrap()["readiness"].clone()
    };
    assert_eq!(readiness().await, "ready");
    let reply = stage
        .patch("/v1/connections/mail", &json!({ "disabled": true }))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(readiness().await, "needs_connection");
}

#[tokio::test]
async fn settings_of_a_connection_change_its_quota() {
    let stage = Stage::connected().await;
    let settings = json!({ "settings": { "rate_limit": { "units_per_minute": 12000 } } });
    let changed = stage.patch("/v1/connections/mail", &settings).await;
    assert_eq!(
        changed.json()["settings"],
        settings["settings"],
        "{}",
        changed.text()
    );
    assert_eq!(
        stage.drafts("user-1").await.status,
        200,
        "its accounts stay connected"
    );
    for wrong in [json!(7), json!({ "units": 7 }), json!({ "concurrency": 0 })] {
        let settings = json!({ "settings": { "rate_limit": wrong } });
        let refused = stage.patch("/v1/connections/mail", &settings).await;
        let violations = refused.json()["violations"].take();
        let place = violations[0]["path"].as_str().unwrap_or_default();
        assert!(
            place.starts_with("/settings/rate_limit"),
            "{}",
            refused.text()
        );
    }
}
