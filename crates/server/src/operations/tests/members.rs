//! Members over HTTP.

use http::StatusCode;
use serde_json::json;

use crate::testing::TestService;

#[tokio::test]
async fn members_are_invited_changed_reset_and_deleted() {
    let service = TestService::new().await;
    let new = json!({ "email": "Ada@example.com", "role": "operator", "name": "Ada" });
    let invited = service.post("/v1/members", new.clone()).await;
    assert_eq!(invited.status, StatusCode::CREATED);
    let body: serde_json::Value = serde_json::from_slice(&invited.body).unwrap();
    let path = format!("/v1/members/{}", body["member_id"].as_str().unwrap());
    assert_eq!(
        invited.header("location"),
        format!("http://127.0.0.1{path}")
    );
    assert_eq!(body["status"], "invited");
    let link = body["link"].as_str().unwrap();
    let token = link.strip_prefix("http://127.0.0.1/dashboard/invitation?token=");
    let token = token.unwrap().to_owned();

    let twice = service.post("/v1/members", new).await;
    twice.assert_problem(StatusCode::CONFLICT, "already_exists");
    let read = service.get(&path).await;
    assert!(!read.text().contains(&token) && read.json()["email"] == "ada@example.com");
    let change = json!({ "role": "viewer", "disabled": true });
    let changed = service.call("PATCH", &path, Some(change)).await;
    assert_eq!(changed.json()["role"], "viewer");
    assert_eq!(changed.json()["status"], "disabled");
    let refused = service.post(&format!("{path}/reset"), json!({})).await;
    refused.assert_problem(StatusCode::CONFLICT, "invalid_transition");
    let enabled = json!({ "disabled": false });
    service.call("PATCH", &path, Some(enabled)).await;
    let reset = service.post(&format!("{path}/reset"), json!({})).await;
    let other: serde_json::Value = serde_json::from_slice(&reset.body).unwrap();
    assert!(!other["link"].as_str().unwrap().ends_with(&token));
    let listed = service.get("/v1/members").await;
    assert_eq!(listed.json()["items"].as_array().unwrap().len(), 1);
    let deleted = service.call("DELETE", &path, None).await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    let gone = service.get(&path).await;
    gone.assert_problem(StatusCode::NOT_FOUND, "not_found");
}

#[tokio::test]
async fn a_wrong_address_role_or_name_is_refused() {
    let service = TestService::new().await;
    for new in [
        json!({ "email": "ada", "role": "owner" }),
        json!({ "email": "ada@example.com", "role": "admin" }),
        json!({ "email": "ada@example.com", "role": "owner", "name": "a\nb" }),
    ] {
        let refused = service.post("/v1/members", new).await;
        refused.assert_problem(StatusCode::BAD_REQUEST, "invalid_request");
    }
}
