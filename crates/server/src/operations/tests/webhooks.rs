//! `/v1/webhooks`, through the router.

use http::StatusCode;
use serde_json::json;

use crate::testing::{TestService, json_response};

#[tokio::test]
async fn a_webhook_is_made_tested_changed_and_deleted() {
    let service = TestService::with_products(|received| {
        let mut response = json_response(&json!({}));
        let wanted = received.headers.get("webhook-signature").is_some();
        *response.status_mut() = if wanted {
            StatusCode::ACCEPTED
        } else {
            StatusCode::BAD_REQUEST
        };
        response
    })
    .await;
    let new = json!({ "url": "https://app.example.com/hooks", "events": ["account.*"] });
    let made = service.post("/v1/webhooks", new).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let made = made.json();
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    let path = format!("/v1/webhooks/{}", made["id"].as_str().unwrap());

    let tested = service
        .call("POST", &format!("{path}/test"), None)
        .await
        .json();
    assert_eq!(
        (&tested["state"], &tested["status"]),
        (&json!("delivered"), &json!(202))
    );
    let sent = service.received();
    assert_eq!(sent.last().unwrap().uri, "https://app.example.com/hooks");
    let listed = service.get(&format!("{path}/deliveries")).await.json();
    assert_eq!(listed["items"][0]["event_type"], "webhook.test");

    let rotated = service
        .call("POST", &format!("{path}/rotate-secret"), None)
        .await
        .json();
    assert_ne!(rotated["secret"], made["secret"]);
    assert_eq!(rotated["previous_secret_until"], "time");
    let change = json!({ "description": "the shop", "disabled": true });
    let changed = service.call("PATCH", &path, Some(change)).await.json();
    assert_eq!(
        (&changed["description"], &changed["disabled"]),
        (&json!("the shop"), &json!("disabled"))
    );
    assert_eq!(changed["secret"], json!(null));
    let again = json!({ "since": "2026-01-01T00:00:00Z" });
    let again = service.post(&format!("{path}/replay"), again).await;
    assert_eq!(again.status, StatusCode::OK, "{}", again.text());
    assert_eq!(
        service.get("/v1/webhooks").await.json()["items"][0],
        changed
    );
    assert_eq!(
        service.call("DELETE", &path, None).await.status,
        StatusCode::NO_CONTENT
    );
    service
        .get(&path)
        .await
        .assert_problem(StatusCode::NOT_FOUND, "not_found");
}

#[tokio::test]
async fn an_invalid_webhook_is_refused_with_the_place() {
    let service = TestService::new().await;
    for (body, place) in [
        (json!({ "url": "http://app.example.com/" }), "/url"),
        (json!({ "url": "https://127.0.0.1/" }), "/url"),
        (json!({ "url": "https://localhost:8080/" }), "/url"),
        (
            json!({ "url": "https://[::ffff:169.254.169.254]/" }),
            "/url",
        ),
        (
            json!({ "url": "https://a.example/", "events": ["acount.*"] }),
            "/events",
        ),
        (
            json!({ "url": "https://a.example/", "description": "a\nb" }),
            "/description",
        ),
    ] {
        let refused = service.post("/v1/webhooks", body.clone()).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(refused.problem()["violations"][0]["path"], place, "{body}");
    }
    assert!(service.received().is_empty());
}
