//! What an application reads about its users' accounts.

use serde_json::{Value, json};
use stead_sandbox::Fault;

use crate::stage::Stage;

async fn health(stage: &Stage) -> (Value, Value) {
    let mut account = stage.account("user-1").await;
    (account["state"].take(), account["health"].take())
}

#[tokio::test]
async fn health_is_ok_only_where_calls_can_be_made() {
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
        tools.json()["items"][0]["readiness"].take()
    };
    assert_eq!(readiness().await, "ready");
    let reply = stage
        .patch("/v1/connections/mail", &json!({ "disabled": true }))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(readiness().await, "needs_connection");
}
