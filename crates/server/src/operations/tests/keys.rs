//! Keys over HTTP.

use http::StatusCode;
use serde_json::{Value, json};

use crate::testing::TestService;

#[tokio::test]
async fn a_data_key_is_replaced_while_the_service_runs() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let listed = service.get("/v1/keys").await.json();
    assert_eq!(listed["ring"], json!(["k1"]));
    let old = &listed["data_keys"][0];
    assert_eq!(
        (&old["state"], &old["rows"]),
        (&json!("active"), &Value::Null)
    );
    let counted = service.get("/v1/keys?count_rows=true").await.json();
    let rows = counted["data_keys"][0]["rows"].as_u64().unwrap();
    assert!(rows > 0, "{counted}");

    let added = service.call("POST", "/v1/keys", None).await;
    assert_eq!(added.status, StatusCode::CREATED);
    let added = added.json();
    assert_eq!(added["state"], "added");
    let id = |key: &Value| key["key_id"].as_str().unwrap().to_owned();
    let activate = format!("/v1/keys/{}/activate", id(&added));
    let early = service.post(&activate, json!({})).await;
    early.assert_problem(StatusCode::CONFLICT, "invalid_transition");
    let active = service.post(&activate, json!({ "at_once": true })).await;
    assert_eq!(active.json()["state"], "active");
    let retire = format!("/v1/keys/{}/retire", id(old));
    let early = service.call("POST", &retire, None).await;
    early.assert_problem(StatusCode::CONFLICT, "invalid_transition");

    let started = service.call("POST", "/v1/keys/reencrypt", None).await;
    assert_eq!(started.json()["running"], true);
    let reached = loop {
        let reached = service.get("/v1/keys").await.json()["reencryption"].clone();
        if reached["running"] != true {
            break reached;
        }
        tokio::task::yield_now().await;
    };
    // Audit entries that were added in the meantime are rows of the key too.
    assert!(reached["done"].as_u64() >= Some(rows), "{reached}");
    assert_eq!(reached["left"], 0);
    let retired = service.call("POST", &retire, None).await;
    assert_eq!(retired.json()["state"], "retired", "{}", retired.text());
    let rewrapped = service.call("POST", "/v1/keys/rewrap", None).await.json();
    assert_eq!(rewrapped["data_keys"][1]["ring_key"], "k1");
    service
        .call("POST", "/v1/keys/key_x/retire", None)
        .await
        .assert_problem(StatusCode::NOT_FOUND, "not_found");
}
