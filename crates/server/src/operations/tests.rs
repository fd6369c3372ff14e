//! What operations do through the router, beyond the requests of the golden walks.

use http::StatusCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use stead_core::{environment::Verification, resource::NewAppCredential};

use crate::testing::{READONLY, TestService, json_response};

fn shown(identifier: &str, state: &str) -> Value {
    json!({
        "id": "acct_…", "connection_name": "mail", "product": "mail", "identifier": identifier, "state": state,
        "health": if state == "active" { "ok" } else { "unusable" },
        "granted_scopes": ["openid", "https://www.googleapis.com/auth/userinfo.email", READONLY], "missing_scopes": [],
        "product_user": "ada@example.com", "token_expires_at": "time", "created_at": "time", "updated_at": "time",
    })
}

#[tokio::test]
async fn any_identifier_is_one_segment_of_every_path() {
    for identifier in [
        "u1",
        "a/b %2F@ü",
        "suspend",
        "ada@example.com",
        "?#&+",
        "..%00",
        "日本",
    ] {
        let service = TestService::new().await.with_account(identifier).await;
        let path = format!(
            "/v1/accounts/mail/{}",
            utf8_percent_encode(identifier, NON_ALPHANUMERIC)
        );
        let call = async |method: &str, verb: &str| {
            service.call(method, &format!("{path}{verb}"), None).await
        };

        for (method, verb, state) in [
            ("GET", "", "active"),
            ("POST", "/suspend", "suspended"),
            ("POST", "/resume", "active"),
            ("POST", "/refresh", "active"),
        ] {
            let account = call(method, verb).await.json();
            assert_eq!(account, shown(identifier, state), "{identifier}");
        }
        assert_eq!(
            service
                .get("/v1/accounts?connection_name=mail")
                .await
                .json(),
            json!({"items": [shown(identifier, "active")]}),
        );
        let ended = call("DELETE", "?revoke_at_product=true").await;
        assert_eq!(
            (ended.status, ended.json()),
            (
                StatusCode::OK,
                json!({"revocation": "requested", "ends_other_grants": true})
            ),
            "{identifier}"
        );
        assert_eq!(
            call("GET", "").await.json()["state"],
            "disconnected",
            "{identifier}"
        );
    }
}

#[tokio::test]
async fn a_list_is_narrowed_by_each_of_its_filters() {
    let service = TestService::new().await.with_account("ada").await;
    for (query, found) in [
        ("", true),
        (
            "?connection_name=mail&product=mail&identifier=ada&state=active",
            true,
        ),
        ("?product=mail", true),
        ("?identifier=ada", true),
        ("?identifier=grace", false),
        ("?identifier_prefix=ad", true),
        ("?identifier_prefix=Ad", false),
        ("?identifier_prefix=ad&identifier=ada&state=active", true),
        ("?identifier_prefix=gr&identifier=ada", false),
        ("?state=active", true),
        ("?state=suspended", false),
        ("?identifier=ada&state=suspended", false),
    ] {
        let list = service.get(&format!("/v1/accounts{query}")).await.json();
        let items = if found {
            vec![shown("ada", "active")]
        } else {
            vec![]
        };
        assert_eq!(list, json!({ "items": items }), "{query}");
    }
}

#[tokio::test]
async fn invalid_requests_are_problems() {
    let service = TestService::new().await.with_account("u1").await;
    for path in [
        "/mail/%FF",
        "/mail/a%0Ab",
        "?page_size=0",
        "?identifier=a%0Ab",
    ] {
        let refused = service.get(&format!("/v1/accounts{path}")).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path}");
        assert_eq!(refused.problem()["kind"], "invalid_request", "{path}");
    }
}

#[tokio::test]
async fn invalid_parameters_are_refused_with_the_place() {
    let service = TestService::new().await;
    let webhook = |events: &str, description: &str| json!({ "url": "https://a.example/", "events": [events], "description": description });
    for (method, path, body, place) in [
        ("GET", "audit?page_token=x", None, "/page_token"),
        (
            "GET",
            "executions/totals?since=2000-01-01T00:00:00Z",
            None,
            "/since",
        ),
        (
            "POST",
            "members",
            Some(json!({ "email": "ada@example.com", "role": "owner", "name": "a\nb" })),
            "/name",
        ),
        (
            "POST",
            "webhooks",
            Some(webhook("account.*", "a\nb")),
            "/description",
        ),
        ("POST", "webhooks", Some(webhook("acount.*", "")), "/events"),
    ] {
        let refused = service.call(method, &format!("/v1/{path}"), body).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path}");
        assert_eq!(refused.problem()["violations"][0]["path"], place, "{path}");
    }
}

#[tokio::test]
async fn a_credential_cannot_create_one_with_more_scopes() {
    let service = TestService::new().await;
    let limited = service
        .with_scopes(&["credentials:manage", "events:read"])
        .await;
    let create = async |scope: &str| {
        let new = json!({ "name": "another", "scopes": [scope] });
        limited.post("/v1/app-credentials", new).await
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
    let new = NewAppCredential::new("slow")
        .scopes(["accounts:read"])
        .rate_per_minute(3);
    let slow = service.with_credential(new).await;
    for _ in 0..3 {
        assert_eq!(slow.get("/v1/accounts").await.status, StatusCode::OK);
    }
    let refused = slow.get("/v1/accounts").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=20).contains(&seconds), "{seconds}");
    let problem = refused.json();
    assert_eq!(problem["kind"], "rate_limited");
    assert_eq!(problem["act_by"], "app_developer");
    assert_eq!(service.get("/v1/accounts").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_link_to_steads_own_page_leads_there_after_a_refusal_too() {
    let service = TestService::open("http://127.0.0.1", Verification::Application, |_| {
        json_response(&json!({}))
    })
    .await;
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
