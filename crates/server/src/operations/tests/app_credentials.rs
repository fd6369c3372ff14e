//! `/v1/app-credentials`, through the router.

use http::{Request, StatusCode, header};
use serde_json::{Value, json};

use crate::testing::{TestResponse, TestService};

/// Requests a token.
async fn token(service: &TestService, made: &Value, scope: &str) -> TestResponse {
    let (id, secret) = (&made["client_id"], &made["client_secret"]);
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}&scope={scope}",
        id.as_str().unwrap(),
        secret.as_str().unwrap()
    );
    let request = Request::post("/oauth/token")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    service.send(request.body(form.into()).unwrap()).await
}

/// Calls with a token made with this secret.
async fn call_with(service: &TestService, made: &Value, path: &str) -> TestResponse {
    let issued = token(service, made, "").await.json();
    let bearer = format!("Bearer {}", issued["access_token"].as_str().unwrap());
    let request = Request::get(path).header(header::AUTHORIZATION, bearer);
    service.send(request.body("".into()).unwrap()).await
}

#[tokio::test]
async fn created_listed_changed_rotated_and_revoked() {
    let service = TestService::new().await;
    let new = json!({"name": "agent", "scopes": ["accounts:read"], "rate_per_minute": 60, "expires_in": 3600});
    let created = service.post("/v1/app-credentials", new).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text());
    assert_eq!(created.header("cache-control"), "no-store");
    let made = created.json();
    let id = made["client_id"].as_str().unwrap();
    let path = format!("/v1/app-credentials/{id}");
    assert_eq!(
        created.header("location"),
        format!("http://127.0.0.1{path}")
    );
    assert_eq!(made["scopes"], json!(["accounts:read"]));
    assert_eq!(made["rate_per_minute"], 60);
    assert_eq!(made["secrets"][0]["secret_id"], made["secret_id"]);

    let read = service.get(&path).await.json();
    assert_eq!(read["client_secret"], Value::Null);
    let listed = service.get("/v1/app-credentials").await.json();
    assert_eq!(listed["items"][1], read);
    assert_eq!(listed["items"][0]["name"], "test");

    let change =
        json!({"name": "reader", "scopes": ["events:read", "accounts:read"], "rate_per_minute": 0});
    let changed = service.call("PATCH", &path, Some(change)).await.json();
    assert_eq!(changed["name"], "reader");
    assert_eq!(changed["scopes"], json!(["accounts:read", "events:read"]));
    assert_eq!(changed["rate_per_minute"], Value::Null);

    let rotated = service.post(&format!("{path}/rotate"), json!({})).await;
    assert_eq!(rotated.header("cache-control"), "no-store");
    let rotated = rotated.json();
    assert_eq!(rotated["secrets"].as_array().unwrap().len(), 2);
    for with in [&made, &rotated] {
        let response = call_with(&service, with, "/v1/accounts").await;
        assert_eq!(response.status, StatusCode::OK, "{}", response.text());
    }
    let old = made["secret_id"].as_str().unwrap();
    let secret_path = format!("{path}/secrets/{old}");
    let left = service.call("DELETE", &secret_path, None).await.json();
    assert_eq!(left["secrets"][0]["secret_id"], rotated["secret_id"]);
    assert_eq!(
        token(&service, &made, "").await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(token(&service, &rotated, "").await.status, StatusCode::OK);

    let revoked = service.call("DELETE", &path, None).await;
    assert_eq!(revoked.status, StatusCode::NO_CONTENT);
    assert_eq!(
        token(&service, &rotated, "").await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(service.get(&path).await.problem()["kind"], "not_found");
}

#[tokio::test]
async fn a_token_has_the_scopes_that_it_asks_for() {
    let service = TestService::new().await;
    let new = json!({"name": "agent", "scopes": ["accounts:manage", "tools:execute"]});
    let made = service.post("/v1/app-credentials", new).await.json();
    let all = token(&service, &made, "").await.json();
    assert_eq!(all["scope"], "tools:execute accounts:manage");
    let some = token(&service, &made, "tools:execute:mail+accounts:read").await;
    assert_eq!(some.json()["scope"], "tools:execute:mail accounts:read");
    for beyond in ["events:read", "nothing", "accounts:read+connections:read"] {
        let refused = token(&service, &made, beyond).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{beyond}");
        assert_eq!(refused.json()["error"], "invalid_scope", "{beyond}");
    }
}

#[tokio::test]
async fn a_credential_cannot_create_one_with_more_scopes() {
    let service = TestService::new().await;
    let new = json!({"name": "manager", "scopes": ["credentials:manage", "events:read"]});
    let made = service.post("/v1/app-credentials", new).await.json();
    let issued = token(&service, &made, "").await.json();
    let bearer = format!("Bearer {}", issued["access_token"].as_str().unwrap());
    let create = async |scopes: &str| {
        let request = Request::post("/v1/app-credentials")
            .header(header::AUTHORIZATION, &bearer)
            .header(header::CONTENT_TYPE, "application/json");
        let body = json!({"name": "another", "scopes": [scopes]}).to_string();
        service.send(request.body(body.into()).unwrap()).await
    };
    let refused = create("tools:execute").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(refused.json()["required_scopes"], json!(["tools:execute"]));
    assert_eq!(
        refused.header("www-authenticate"),
        r#"Bearer realm="stead", error="insufficient_scope", scope="tools:execute""#
    );
    assert_eq!(create("events:read").await.status, StatusCode::CREATED);
}

#[tokio::test]
async fn a_credential_above_its_rate_gets_429_and_others_do_not() {
    let service = TestService::new().await;
    let new = json!({"name": "slow", "scopes": ["accounts:read"], "rate_per_minute": 3});
    let made = service.post("/v1/app-credentials", new).await.json();
    let issued = token(&service, &made, "").await.json();
    let bearer = format!("Bearer {}", issued["access_token"].as_str().unwrap());
    let call = async || {
        let request = Request::get("/v1/accounts").header(header::AUTHORIZATION, &bearer);
        service.send(request.body("".into()).unwrap()).await
    };
    for _ in 0..3 {
        assert_eq!(call().await.status, StatusCode::OK);
    }
    let refused = call().await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=20).contains(&seconds), "{seconds}");
    let problem = refused.json();
    assert_eq!(problem["kind"], "rate_limited");
    assert_eq!(problem["act_by"], "app_developer");
    assert_eq!(service.get("/v1/accounts").await.status, StatusCode::OK);
}
