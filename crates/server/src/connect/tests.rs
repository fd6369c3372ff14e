//! The user's pages and the way through the product, through the router.

use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::json;
use stead_core::environment::Verification;

use crate::testing::{TestResponse, TestService, json_response};

/// Headers of every page and redirect, by the facts on the connect page.
fn assert_page(response: &TestResponse, form_action: &str) {
    let style = "style-src 'sha256-";
    let policy = response.header("content-security-policy");
    assert!(
        policy.starts_with(&format!("default-src 'none'; {style}")),
        "{policy}"
    );
    assert!(
        policy.ends_with(&format!(
            "'; img-src 'self'; form-action {form_action}; base-uri 'none'; frame-ancestors 'none'"
        )),
        "{policy}"
    );
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("x-robots-tag", "noindex"),
    ] {
        assert_eq!(response.header(name), value, "{name}");
    }
    assert!(response.header("permissions-policy").contains("camera=()"));
    if !response.body.is_empty() {
        assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
        assert!(!response.text().contains("<script"), "{}", response.text());
    }
}

#[tokio::test]
async fn the_consent_page_names_application_and_permissions_and_changes_nothing() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let link = service.link("ada@example.com", None).await;
    for method in ["HEAD", "GET", "GET"] {
        let page = service.browse(method, &link, None).await;
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(page.header("set-cookie"), "");
        assert_page(&page, "'self' https: http:");
    }
    let page = service.visit(&link).await;
    let text = page.text();
    for expected in [
        "<strong>127.0.0.1</strong> wants to access your Gmail account",
        "<li>Read your emails, their attachments and your drafts</li>",
        "<li>See your email address</li>",
        r#"<form method="post">"#,
        "Continue to Gmail",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    for secret in ["ada@example.com", "client", "auth_", "conn_"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    service.consent(&link).await;
}

#[tokio::test]
async fn the_style_sheet_is_the_one_that_the_policy_names() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use sha2::{Digest as _, Sha256};
    let service = TestService::new().await;
    let page = service.visit("/connect/done").await;
    let style = page
        .text()
        .split_once("<style>")
        .unwrap()
        .1
        .split_once("</style>")
        .unwrap()
        .0;
    let digest = STANDARD.encode(Sha256::digest(style));
    assert!(
        page.header("content-security-policy")
            .contains(&format!("'sha256-{digest}'"))
    );
}

#[tokio::test]
async fn the_button_binds_the_browser_and_leads_to_the_product() {
    let service = TestService::open(
        "https://stead.example.com",
        Verification::LinkPossession,
        |_| json_response(&json!({})),
    )
    .await;
    service.connect_mail().await;
    let link = service.link("u1", None).await;
    let page = service.visit(&link).await;
    assert_page(&page, "'self' https:");
    page.assert_contains("<strong>stead.example.com</strong> wants to access");
    let started = service.browse("POST", &link, None).await;
    assert_eq!(started.status, StatusCode::SEE_OTHER);
    assert_page(&started, "'self'");
    let cookie = started.header("set-cookie");
    assert!(cookie.starts_with("__Host-stead-auth_"), "{cookie}");
    assert!(
        cookie.ends_with("; Path=/; Max-Age=900; HttpOnly; SameSite=Lax; Secure"),
        "{cookie}"
    );
    let location: url::Url = started.header("location").parse().unwrap();
    assert_eq!(location.host_str(), Some("accounts.google.com"));
    let redirect_uri = location
        .query_pairs()
        .find(|(name, _)| name == "redirect_uri")
        .unwrap()
        .1
        .into_owned();
    assert!(
        redirect_uri.starts_with("https://stead.example.com/sso/v1/oauth/conn_"),
        "{redirect_uri}"
    );

    let own = cookie.split(';').next().unwrap();
    assert_eq!(
        service.browse("POST", &link, Some(own)).await.status,
        StatusCode::SEE_OTHER,
        "the same browser may start over"
    );
    let other = service.browse("POST", &link, None).await;
    assert_eq!(other.status, StatusCode::FORBIDDEN);
    assert_page(&other, "'self'");
    other.assert_contains("This is another browser");
}

#[tokio::test]
async fn no_address_follows_the_requests_host() {
    let service = TestService::new().await;
    let connection_id = service.connect_mail().await;
    let link = service.link("u1", None).await;
    let forged = |method: &str, path: &str| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "evil.test");
        request
            .header("x-forwarded-host", "evil.test")
            .header("x-forwarded-proto", "https")
            .header("forwarded", "host=evil.test")
            .body(Body::empty())
            .unwrap()
    };
    for (method, path) in [
        ("GET", link.as_str()),
        ("POST", link.as_str()),
        ("GET", "/"),
        (
            "GET",
            &format!("/sso/v1/oauth/{connection_id}/callback?state=x"),
        ),
    ] {
        let response = service.send(forged(method, path)).await;
        assert!(
            !format!("{:?}{}", response.headers, response.text()).contains("evil.test"),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn a_form_of_another_site_is_refused() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let own = Some("http://127.0.0.1");
    for (site, origin, taken) in [
        (None, None, true),
        (Some("same-origin"), Some("null"), true),
        (Some("same-origin"), own, true),
        (Some("none"), None, true),
        (None, own, true),
        (None, Some("null"), false),
        (None, Some("http://127.0.0.1:81"), false),
        (None, Some("https://127.0.0.1"), false),
        (Some("cross-site"), Some("null"), false),
        (Some("cross-site"), own, false),
        (Some("same-site"), None, false),
        (Some("same-origin"), Some("http://evil.test"), false),
    ] {
        let mut request = Request::post(service.link("u1", None).await);
        for (name, value) in [("sec-fetch-site", site), ("origin", origin)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let response = service.send(request.body(Body::empty()).unwrap()).await;
        let expected = if taken {
            StatusCode::SEE_OTHER
        } else {
            StatusCode::FORBIDDEN
        };
        assert_eq!(response.status, expected, "{site:?} {origin:?}");
        assert_page(&response, "'self'");
    }
}

#[tokio::test]
async fn an_unknown_link_says_what_to_do() {
    let service = TestService::new().await;
    for (method, path) in [
        ("GET", "/connect/nothing"),
        ("POST", "/connect/nothing"),
        ("GET", "/connect/%3Cscript%3E"),
    ] {
        let page = service.browse(method, path, None).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND);
        assert_page(&page, "'self'");
        page.assert_contains("We don’t know this link");
        page.assert_contains("Support ID: <code>req_");
    }
}

#[tokio::test]
async fn after_the_return_the_address_is_clean() {
    let service = TestService::new().await;
    let connection_id = service.connect_mail().await;
    let callback = format!("/sso/v1/oauth/{connection_id}/callback");
    let link = service.link("u1", None).await;
    let (state, cookie) = service.consent(&link).await;

    let stranger = service
        .visit(&format!("{callback}?state={state}&code=c"))
        .await;
    assert_eq!(stranger.status, StatusCode::SEE_OTHER);
    assert!(
        stranger
            .header("location")
            .starts_with("http://127.0.0.1/connect/failed?kind=browser_mismatch&id=req_"),
        "{stranger:?}"
    );

    let back = service.come_back(&connection_id, &state, &cookie).await;
    assert_eq!(
        (back.status, back.header("location")),
        (
            StatusCode::SEE_OTHER,
            "http://127.0.0.1/connect/done?product=Gmail"
        )
    );
    assert_page(&back, "'self'");
    let done = service.visit("/connect/done?product=Gmail").await;
    assert_page(&done, "'self'");
    done.assert_contains("<h1>Gmail is connected</h1>");
    done.assert_contains("<p>You can close this window.</p>");

    let (name, _) = cookie.split_once('=').unwrap();
    let expired = format!("{name}=; Path=/; Max-Age=0;");
    assert!(back.header("set-cookie").starts_with(&expired), "{back:?}");
    let again = service.come_back(&connection_id, &state, &cookie).await;
    assert!(
        again
            .header("location")
            .contains("?kind=authorization_consumed&"),
        "{again:?}"
    );
    let used = service.visit(&link).await;
    assert_eq!(
        (used.status, used.text().contains("This link has been used")),
        (StatusCode::GONE, true)
    );
}

#[tokio::test]
async fn a_refusal_is_not_an_error_and_shows_nothing_of_the_product() {
    let service = TestService::new().await;
    let connection_id = service.connect_mail().await;
    // The user comes to the same page if the application has an address of its own. Its events tell the application.
    for verify_url in [None, Some("https://app.test/back")] {
        let link = service.link("u1", verify_url).await;
        let (state, cookie) = service.consent(&link).await;
        let path = format!(
            "/sso/v1/oauth/{connection_id}/callback?state={state}&error=access_denied&error_description=%3Cscript%3ECANARY"
        );
        let back = service.browse("GET", &path, Some(&cookie)).await;
        let there = back
            .header("location")
            .strip_prefix("http://127.0.0.1")
            .unwrap();
        assert!(
            there.starts_with("/connect/failed?kind=authorization_denied&id=req_")
                && !there.contains("CANARY"),
            "{there}"
        );
        let page = service.visit(there).await;
        assert_eq!(page.status, StatusCode::FORBIDDEN);
        assert_page(&page, "'self'");
        page.assert_contains("<h1>Nothing was connected</h1>");
        page.assert_contains("ask for a new one");
    }
}

#[tokio::test]
async fn a_forged_final_page_shows_only_steads_text() {
    let service = TestService::new().await;
    let page = service
        .visit("/connect/failed?kind=%3Cb%3E&id=req_%3Cscript%3E&id=x&text=CANARY")
        .await;
    assert_eq!(page.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(
        page.text().contains("<h1>Something went wrong</h1>")
            && !page.text().contains("Support ID"),
        "{}",
        page.text()
    );
    let page = service
        .visit("/connect/done?product=%3Cscript%3ECANARY&next=confirm")
        .await;
    assert!(
        page.text().contains("<h1>Almost done</h1>") && !page.text().contains("CANARY"),
        "{}",
        page.text()
    );
    let page = service.visit("/connect/done?product=Outlook").await;
    page.assert_contains("<h1>Connected</h1>");
}

#[tokio::test]
async fn the_callback_and_the_final_page_accept_post() {
    let service = TestService::new().await;
    let connection_id = service.connect_mail().await;
    let (state, cookie) = service.consent(&service.link("u1", None).await).await;
    let callback = format!("/sso/v1/oauth/{connection_id}/callback?state={state}&code=c");
    let back = service.browse("POST", &callback, Some(&cookie)).await;
    let there = back
        .header("location")
        .strip_prefix("http://127.0.0.1")
        .unwrap();
    assert_eq!(
        service.browse("POST", there, None).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn bytes_that_are_not_text_end_on_a_page() {
    let service = TestService::new().await;
    for method in ["GET", "POST"] {
        let page = service.browse(method, "/connect/%FF", None).await;
        assert_eq!(page.status, StatusCode::BAD_REQUEST);
        assert_page(&page, "'self'");
    }
    let back = service.visit("/sso/v1/oauth/%FF/callback?state=x").await;
    assert!(
        back.header("location")
            .contains("/connect/failed?kind=invalid_request&"),
        "{back:?}"
    );
}
