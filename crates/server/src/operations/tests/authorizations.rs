//! Verification by the application, through the router.

use http::StatusCode;
use serde_json::json;
use stead_core::environment::Verification;

use crate::testing::{TestService, json_response};

async fn service() -> TestService {
    TestService::open("http://127.0.0.1", Verification::Application, |_| {
        json_response(&json!({}))
    })
    .await
}

#[tokio::test]
async fn the_application_confirms_the_returning_user() {
    let service = service().await;
    let connection_id = service.connect_mail().await;
    let created = service
        .post("/v1/authorization-links", json!({"connection_name": "mail", "identifier": "u1", "verify_url": "https://app.test/back?a=1", "state": "s&1"}))
        .await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text());
    let made: serde_json::Value = serde_json::from_slice(&created.body).unwrap();
    let id = made["authorization_id"].as_str().unwrap();
    let link = made["link"]
        .as_str()
        .unwrap()
        .strip_prefix("http://127.0.0.1")
        .unwrap();

    let verify = format!("/v1/authorizations/{id}/verify");
    let early = service.post(&verify, json!({"identifier": "u1"})).await;
    early.assert_problem(StatusCode::NOT_FOUND, "authorization_not_found");

    let (state, cookie) = service.consent(link).await;
    let back = service.come_back(&connection_id, &state, &cookie).await;
    assert_eq!(back.status, StatusCode::SEE_OTHER);
    assert_eq!(
        back.header("location"),
        format!("https://app.test/back?a=1&authorization_id={id}&state=s%261")
    );
    assert!(
        back.header("set-cookie")
            .starts_with(&format!("stead-{id}=; Path=/; Max-Age=0;")),
        "{back:?}"
    );

    let waiting = service.get("/v1/accounts/mail/u1").await.json();
    assert_eq!(waiting["state"], "pending_verification");
    let verified = service.post(&verify, json!({"identifier": "u1"})).await;
    assert_eq!(
        (verified.status, verified.json()["state"].as_str()),
        (StatusCode::OK, Some("active"))
    );
}

#[tokio::test]
async fn another_identifier_is_refused() {
    let service = service().await;
    let connection_id = service.connect_mail().await;
    let (state, cookie) = service
        .consent(&service.link("u1", Some("https://app.test/back")).await)
        .await;
    let back = service.come_back(&connection_id, &state, &cookie).await;
    let id = back
        .header("location")
        .split("authorization_id=")
        .nth(1)
        .unwrap()
        .to_owned();
    let response = service
        .post(
            &format!("/v1/authorizations/{id}/verify"),
            json!({"identifier": "u2"}),
        )
        .await;
    response.assert_problem(StatusCode::FORBIDDEN, "identifier_mismatch");
}

#[tokio::test]
async fn a_link_needs_a_connection_and_its_members() {
    let service = service().await;
    service.connect_mail().await;
    for (body, kind, pointer) in [
        (
            json!({"connection_name": "none", "identifier": "u", "verify_url": "https://a.test"}),
            "unknown_connection",
            None,
        ),
        (
            json!({"connection_name": "mail", "identifier": "u"}),
            "invalid_request",
            Some("/verify_url"),
        ),
        (
            json!({"connection_name": "mail"}),
            "invalid_request",
            Some("/identifier"),
        ),
        (
            json!({"connection_name": "mail", "identifier": [7]}),
            "invalid_request",
            Some("/identifier"),
        ),
    ] {
        let problem = service
            .post("/v1/authorization-links", body.clone())
            .await
            .problem();
        assert_eq!(
            (
                problem["kind"].as_str(),
                problem["violations"][0]["path"].as_str()
            ),
            (Some(kind), pointer),
            "{body}"
        );
    }
}

#[tokio::test]
async fn an_authorization_says_how_it_ended() {
    let service = service().await;
    let connection_id = service.connect_mail().await;
    let link = json!({"connection_name": "mail", "identifier": "u1", "verify_url": "https://app.test/back"});
    let made = service.post("/v1/authorization-links", link).await;
    let made: serde_json::Value = serde_json::from_slice(&made.body).unwrap();
    let path = format!(
        "/v1/authorizations/{}",
        made["authorization_id"].as_str().unwrap()
    );
    let read = service.get(&path).await.json();
    assert_eq!(
        (read["state"].as_str(), read.get("reason")),
        (Some("created"), None)
    );
    let link = made["link"]
        .as_str()
        .unwrap()
        .strip_prefix("http://127.0.0.1")
        .unwrap();
    let (state, cookie) = service.consent(link).await;
    let back = format!(
        "/sso/v1/oauth/{connection_id}/callback?state={state}&error=access_denied&error_description=No%2C+thanks"
    );
    let back = service.browse("GET", &back, Some(&cookie)).await;
    // An application sees it in its events.
    assert!(
        back.header("location")
            .starts_with("http://127.0.0.1/connect/failed?kind=authorization_denied")
    );
    let read = service.get(&path).await.json();
    assert_eq!(
        (&read["state"], &read["reason"], &read["product_message"]),
        (
            &json!("denied"),
            &json!("access_denied"),
            &json!("No, thanks")
        )
    );
    let other = format!("/v1/authorizations/auth_{:032x}", 1);
    let other = service.get(&other).await;
    other.assert_problem(StatusCode::NOT_FOUND, "authorization_not_found");
}

#[tokio::test]
async fn a_link_to_steads_own_page_leads_there_after_a_refusal_too() {
    let service = service().await;
    let connection_id = service.connect_mail().await;
    let own = "http://127.0.0.1/dashboard/connections/mail/test";
    let (state, cookie) = service.consent(&service.link("u1", Some(own)).await).await;
    let back = format!("/sso/v1/oauth/{connection_id}/callback?state={state}&error=access_denied");
    let back = service.browse("GET", &back, Some(&cookie)).await;
    assert!(
        back.header("location")
            .starts_with(&format!("{own}?authorization_id=auth_")),
        "{back:?}"
    );
}
