//! `/v1/connections`, through the router.

use http::StatusCode;
use serde_json::{Value, json};

use crate::testing::{READONLY, TestService};

fn new() -> Value {
    json!({
        "connection_name": "mail", "product": "mail", "client_id": "id", "client_secret": "CANARY-secret",
        "permissions": [READONLY],
    })
}

fn shown(state: &str) -> Value {
    json!({
        "id": "conn_…", "connection_name": "mail", "product": "mail", "state": state, "health": "client_ok",
        "client_id": "id", "has_client_secret": true, "permissions": [READONLY],
        "redirect_uri": "uri", "created_at": "time", "updated_at": "time",
    })
}

/// The connection. Its redirect URI is checked and replaced.
fn normalized(mut connection: Value) -> Value {
    let uri = connection["redirect_uri"].as_str().unwrap();
    assert!(
        uri.starts_with("http://127.0.0.1/sso/v1/oauth/conn_") && uri.ends_with("/callback"),
        "{uri}"
    );
    connection["redirect_uri"] = json!("uri");
    connection
}

#[tokio::test]
async fn created_read_changed_and_deleted() {
    let service = TestService::new().await;
    let created = service.post("/v1/connections", new()).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text());
    assert_eq!(
        created.header("location"),
        "http://127.0.0.1/v1/connections/mail"
    );
    assert_eq!(created.header("cache-control"), "no-store");
    assert!(!created.text().contains("CANARY"));
    assert_eq!(normalized(created.json()), shown("ready"));

    assert_eq!(
        normalized(service.get("/v1/connections/mail").await.json()),
        shown("ready")
    );
    let mut list = service.get("/v1/connections").await.json();
    let items: Vec<Value> = list["items"]
        .take()
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .map(normalized)
        .collect();
    assert_eq!(
        (items, list),
        (vec![shown("ready")], json!({"items": null}))
    );

    let changed = service
        .call(
            "PATCH",
            "/v1/connections/mail",
            Some(json!({"disabled": true})),
        )
        .await;
    assert_eq!(normalized(changed.json()), shown("disabled"));

    let deleted = service.call("DELETE", "/v1/connections/mail", None).await;
    assert_eq!(
        (deleted.status, deleted.body.len()),
        (StatusCode::NO_CONTENT, 0)
    );
    assert_eq!(
        service.get("/v1/connections/mail").await.problem()["kind"],
        "unknown_connection"
    );
    assert_eq!(
        service.get("/v1/connections").await.json(),
        json!({"items": []})
    );
}

#[tokio::test]
async fn pages_follow_each_other() {
    let service = TestService::new().await;
    for name in ["a", "b", "c"] {
        let mut one = new();
        one["connection_name"] = json!(name);
        assert_eq!(
            service.post("/v1/connections", one).await.status,
            StatusCode::CREATED
        );
    }
    let (mut names, mut path) = (Vec::new(), String::from("/v1/connections?page_size=2"));
    loop {
        let page = service.get(&path).await.json();
        names.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["connection_name"].clone()),
        );
        let Some(token) = page["next_page_token"].as_str() else {
            break;
        };
        let token: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
        path = format!("/v1/connections?page_size=2&page_token={token}");
    }
    assert_eq!(names, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_faulty_body_is_a_problem_with_its_place() {
    let service = TestService::new().await;
    let mut misspelt = new();
    misspelt["permision"] = json!([]);
    let response = service.post("/v1/connections", misspelt).await;
    assert_eq!(response.status, StatusCode::BAD_REQUEST);
    let problem = response.problem();
    assert_eq!(problem["kind"], "invalid_request");
    assert_eq!(problem["violations"][0]["path"], "/permision");
    assert_eq!(problem["violations"][0]["keyword"], "additionalProperties");

    let request = service
        .request("POST", "/v1/connections")
        .body("a=b".into())
        .unwrap();
    let detail = service.send(request).await.problem()["detail"].clone();
    assert_eq!(
        detail,
        "send the body as JSON with `Content-Type: application/json`"
    );

    let response = service.get("/v1/connections?pagesize=2").await;
    assert_eq!(response.problem()["violations"][0]["path"], "/pagesize");
}

#[tokio::test]
async fn a_name_is_taken_once_and_a_body_is_bounded() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let response = service.post("/v1/connections", new()).await;
    response.assert_problem(StatusCode::CONFLICT, "already_exists");

    let long = json!({"connection_name": "x".repeat(10 * 1024 * 1024)});
    let response = service.post("/v1/connections", long).await;
    response.assert_problem(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large");
}
