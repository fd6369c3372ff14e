//! `/oauth/token`, through the router.

use axum::body::Body;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{Request, StatusCode, header};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use stead_core::resource::NewAppCredential;

use crate::testing::{TestResponse, TestService};

async fn post(service: &TestService, basic: Option<&str>, form: &str) -> TestResponse {
    let mut request = Request::post("/oauth/token")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    if let Some(pair) = basic {
        request = request.header(
            header::AUTHORIZATION,
            format!("Basic {}", STANDARD.encode(pair)),
        );
    }
    service
        .send(request.body(Body::from(form.to_owned())).unwrap())
        .await
}

#[tokio::test]
async fn client_credentials_become_a_bearer_token() {
    let service = TestService::new().await;
    let credential = service
        .platform
        .environment()
        .send(NewAppCredential::new("app").scopes(["accounts:read"]))
        .await
        .unwrap();
    let (id, secret) = (
        credential.credential.client_id.as_str(),
        credential.client_secret.expose_secret(),
    );
    let form = format!(
        "grant_type=client_credentials&client_id={id}&client_secret={secret}&scope=accounts:read&extra=1"
    );
    let pair = format!("{id}:{secret}");
    for response in [
        post(&service, None, &form).await,
        post(&service, Some(&pair), "grant_type=client_credentials").await,
    ] {
        assert_eq!(response.status, StatusCode::OK, "{}", response.text());
        assert_eq!(
            (response.header("cache-control"), response.header("pragma")),
            ("no-store", "no-cache")
        );
        assert_eq!(response.header("content-type"), "application/json");
        let mut token: Value = serde_json::from_slice(&response.body).unwrap();
        let bearer = token["access_token"].take();
        assert_eq!(
            token,
            json!({"access_token": null, "token_type": "Bearer", "expires_in": 3600, "scope": "accounts:read"})
        );
        let request = Request::get("/v1/tools").header(
            header::AUTHORIZATION,
            format!("Bearer {}", bearer.as_str().unwrap()),
        );
        assert_eq!(
            service
                .send(request.body(Body::empty()).unwrap())
                .await
                .status,
            StatusCode::OK
        );
    }
}

#[tokio::test]
async fn errors_are_those_of_the_rfc() {
    let service = TestService::new().await;
    let wrong = "grant_type=client_credentials&client_id=app_1&client_secret=x";
    let response = post(&service, None, wrong).await;
    assert_eq!(response.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        response.header("www-authenticate"),
        r#"Basic realm="stead""#
    );
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(
        response.json(),
        json!({"error": "invalid_client", "error_description": "the client is unknown or its secret is wrong"}),
    );

    let response = post(
        &service,
        None,
        "grant_type=password&client_id=a&client_secret=b",
    )
    .await;
    assert_eq!(response.status, StatusCode::BAD_REQUEST);
    assert_eq!(
        response.json(),
        json!({"error": "unsupported_grant_type", "error_description": "grant_type must be client_credentials"}),
    );

    let json_body = Request::post("/oauth/token")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from("{}"));
    let response = service.send(json_body.unwrap()).await;
    assert_eq!(
        (response.status, response.json()["error"].as_str()),
        (StatusCode::BAD_REQUEST, Some("invalid_request"))
    );
}
