//! `/v1/accounts`, through the router.

use http::StatusCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::testing::{READONLY, TestService};

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
    for (method, path, status, kind) in [
        ("GET", "/mail/u2", 404, "account_not_found"),
        ("GET", "/other/u1", 404, "unknown_connection"),
        ("GET", "/mail/%FF", 400, "invalid_request"),
        ("GET", "/mail/a%0Ab", 400, "invalid_request"),
        ("POST", "/mail/u1/resume", 409, "invalid_transition"),
        (
            "DELETE",
            "/mail/u1?revoke_at_product=yes",
            400,
            "invalid_request",
        ),
        ("GET", "?page_size=0", 400, "invalid_request"),
        ("GET", "?connection_name=other", 404, "unknown_connection"),
        ("GET", "?product=other", 400, "invalid_request"),
        ("GET", "?identifier=a%0Ab", 400, "invalid_request"),
        ("GET", "?state=awake", 400, "invalid_request"),
    ] {
        let path = format!("/v1/accounts{path}");
        let response = service.call(method, &path, None).await;
        assert_eq!(
            response.status,
            status,
            "{method} {path} {}",
            response.text()
        );
        assert_eq!(response.problem()["kind"], kind, "{method} {path}");
    }
}
