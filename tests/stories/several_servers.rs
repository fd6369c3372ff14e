//! Two servers share a store. A denial by one applies on the other within a second.

use jiff::SignedDuration;
use serde_json::json;
use stead::Platform;
use stead_core::{
    environment::Verification,
    resource::{ChangeConnection, ConnectionChange, DeletePolicy, Policy, SetPolicy},
};

use crate::{http_client::Reply, stage::Stage};

/// A stage with Ada's account, and another server over its store.
async fn two() -> (Stage, Platform) {
    let stage = Stage::connected().await;
    let other = stage.over_its_store();
    let other = other.verification(Verification::LinkPossession).build();
    (stage, other.await.unwrap())
}

/// The response to a call one second after a change.
async fn after_a_second(stage: &Stage) -> Reply {
    stage.clock.advance(SignedDuration::from_secs(1));
    stage.drafts("user-1").await
}

#[tokio::test]
async fn an_account_that_one_server_suspends_or_disconnects() {
    let (stage, other) = two().await;
    let account = other.account("mail", "user-1").unwrap();
    assert_eq!(stage.drafts("user-1").await.status, 200);
    account.suspend().await.unwrap();
    assert_eq!(after_a_second(&stage).await.kind(), "account_suspended");
    account.resume().await.unwrap();
    assert_eq!(after_a_second(&stage).await.status, 200);
    account.disconnect().await.unwrap();
    let refused = after_a_second(&stage).await;
    assert_eq!(refused.kind(), "authorization_required");
    other.shut_down().await;
}

#[tokio::test]
async fn a_connection_that_one_server_disables() {
    let (stage, other) = two().await;
    assert_eq!(stage.drafts("user-1").await.status, 200);
    let set = async |disabled| {
        let change = ConnectionChange::default().disabled(disabled);
        let changed = other
            .environment()
            .send(ChangeConnection::new("mail", change))
            .await;
        changed.unwrap();
    };
    set(true).await;
    let refused = after_a_second(&stage).await;
    assert_eq!(refused.kind(), "connection_not_ready");
    set(false).await;
    assert_eq!(after_a_second(&stage).await.status, 200);
    other.shut_down().await;
}

#[tokio::test]
async fn a_policy_that_one_server_sets_and_deletes() {
    let (stage, other) = two().await;
    assert_eq!(stage.drafts("user-1").await.status, 200);
    let policy = json!({ "name": "none", "environment": true, "tools": { "deny": ["mail_*"] } });
    let policy: Policy = serde_json::from_value(policy).unwrap();
    other
        .environment()
        .send(SetPolicy::from(policy))
        .await
        .unwrap();
    assert_eq!(after_a_second(&stage).await.kind(), "forbidden");
    other
        .environment()
        .send(DeletePolicy::new("none"))
        .await
        .unwrap();
    assert_eq!(after_a_second(&stage).await.status, 200);
    other.shut_down().await;
}
