//! Links, and browsers that should not get through with them.

use futures_util::future::join_all;
use jiff::SignedDuration;
use stead_core::{
    identifier::AuthorizationId,
    resource::{NewConnection, VerifyAuthorization},
};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET};

use crate::{
    browser::Browser,
    products,
    stage::{ADA, Stage},
};

async fn with_link() -> (Stage, String) {
    let stage = Stage::new().await;
    let link = stage.link("user-1").await;
    (stage, link)
}

/// Ada has allowed everything, but her browser hasn't come back yet.
async fn allowed() -> (Stage, Browser, String) {
    let (stage, link) = with_link().await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let back = stage.consent(&product, ADA, &["all"]);
    (stage, browser, back)
}

#[tokio::test]
async fn looking_at_a_link_changes_nothing() {
    let (stage, link) = with_link().await;
    for _ in 0..10 {
        assert_eq!(Browser::new().get(&link).await.status, 200);
    }
    assert_eq!(Browser::new().connect(&stage, &link, ADA).await.status, 200);
}

#[tokio::test]
async fn every_page_carries_its_protection() {
    let (stage, link) = with_link().await;
    for url in [link.as_str(), &format!("{}/connect/unknown", stage.url)] {
        let page = Browser::new().get(url).await;
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("x-frame-options"), "DENY");
        let policy = page.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(
            !page.text().contains("user-1"),
            "the identifier is not shown to whoever opens the link"
        );
    }
}

#[tokio::test]
async fn an_expired_link_says_so() {
    let (stage, link) = with_link().await;
    stage.clock.advance(SignedDuration::from_mins(11));
    let mut browser = Browser::new();
    assert_eq!(browser.get(&link).await.status, 410);
    assert_eq!(browser.post(&link, &[]).await.status, 410);
    assert_eq!(stage.received(), 0);
}

#[tokio::test]
async fn a_second_browser_does_not_get_the_link() {
    let (stage, link) = with_link().await;
    let mut first = Browser::new();
    let product = first.open(&link).await;
    assert_eq!(Browser::new().post(&link, &[]).await.status, 403);
    // The first browser can start over.
    first.open(&link).await;
    let _ = product;
    assert_eq!(first.connect(&stage, &link, ADA).await.status, 200);
}

/// A user who presses the button twice, or opens the link in two tabs, has two consent pages.
#[tokio::test]
async fn the_first_of_two_consent_pages_connects_and_the_second_is_refused() {
    let (stage, link) = with_link().await;
    let mut browser = Browser::new();
    let pages = [browser.open(&link).await, browser.open(&link).await];
    let [first, second] = pages.map(|page| stage.consent(&page, ADA, &["all"]));
    assert_eq!(browser.visit(&first).await.status, 200);
    assert_eq!(stage.state("user-1").await, "active");
    assert_eq!(browser.visit(&second).await.status, 410);
    assert_eq!(stage.state("user-1").await, "active");
}

#[tokio::test]
async fn a_used_link_is_used() {
    let (stage, link) = with_link().await;
    let mut browser = Browser::new();
    browser.connect(&stage, &link, ADA).await;
    assert_eq!(browser.get(&link).await.status, 410);
    assert_eq!(browser.post(&link, &[]).await.status, 410);
    assert_eq!(stage.state("user-1").await, "active");
}

#[tokio::test]
async fn a_callback_in_another_browser_is_refused_before_any_token_request() {
    let (stage, mut browser, back) = allowed().await;
    assert_eq!(Browser::new().visit(&back).await.status, 403);
    assert_eq!(stage.sandbox.sandbox.token_requests(), 0);
    // The right browser still gets through.
    assert_eq!(browser.visit(&back).await.status, 200);
}

#[tokio::test]
async fn a_replayed_callback_makes_no_second_exchange() {
    let (stage, mut browser, back) = allowed().await;
    browser.visit(&back).await;
    assert_eq!(browser.visit(&back).await.status, 410);
    assert_eq!(stage.sandbox.sandbox.token_requests(), 1);
    assert_eq!(stage.state("user-1").await, "active");
}

#[tokio::test]
async fn one_of_a_hundred_concurrent_callbacks_is_exchanged() {
    let (stage, browser, back) = allowed().await;
    let visits = (0..100).map(|_| {
        let (mut browser, back) = (browser.clone(), back.clone());
        async move { browser.visit(&back).await.status.as_u16() }
    });
    let statuses = join_all(visits).await;
    let done = statuses.iter().filter(|status| **status == 200);
    assert_eq!(done.count(), 1, "{statuses:?}");
    assert_eq!(stage.sandbox.sandbox.token_requests(), 1);
    assert_eq!(stage.state("user-1").await, "active");
}

#[tokio::test]
async fn a_response_that_is_delivered_to_another_connection_is_refused() {
    let stage = Stage::new().await;
    let other = NewConnection::mail("other").client(CLIENT_ID, CLIENT_SECRET);
    let environment = stage.platform.environment();
    environment.send(other).await.unwrap();
    let mut visits = Vec::new();
    for connection in ["mail", "other"] {
        let link = products::link(&stage, connection, "user-1").await;
        let mut browser = Browser::new();
        let product = browser.open(&link).await;
        visits.push((browser, stage.consent(&product, ADA, &["all"])));
    }
    let (mut second, two) = visits.pop().unwrap();
    let (mut first, one) = visits.pop().unwrap();
    let delivered = |to: &str, from: &str| {
        let (address, query) = (to.split('?').next(), from.split_once('?'));
        format!("{}?{}", address.unwrap(), query.unwrap().1)
    };
    for (to, from) in [(&one, &two), (&two, &one)] {
        let crossed = delivered(to, from);
        assert_eq!(first.visit(&crossed).await.status, 404);
        assert_eq!(second.visit(&crossed).await.status, 404);
    }
    assert_eq!(stage.sandbox.sandbox.token_requests(), 0);
    // Each callback still works in its own browser.
    assert_eq!(first.visit(&one).await.status, 200);
    assert_eq!(second.visit(&two).await.status, 200);
}

/// Link scanners send a HEAD request first.
#[tokio::test]
async fn a_head_request_does_not_use_up_a_callback() {
    let (stage, mut browser, back) = allowed().await;
    let head = browser.head(&back).await;
    assert_eq!((head.status.as_u16(), head.header("location")), (200, ""));
    assert_eq!(stage.sandbox.sandbox.token_requests(), 0);
    assert_eq!(browser.visit(&back).await.status, 200);
    assert_eq!(stage.state("user-1").await, "active");
}

#[tokio::test]
async fn the_last_page_lists_missing_permissions() {
    let (stage, link) = with_link().await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let done = browser
        .visit(&stage.consent(&product, ADA, &["openid"]))
        .await;
    let text = done.text();
    let (_, left_out) = text.split_once("You didn’t allow").unwrap();
    assert!(
        left_out.contains("<li>Read your emails, their attachments and your drafts</li>"),
        "{text}"
    );
    let all = Browser::new()
        .connect(&stage, &stage.link("user-1").await, ADA)
        .await;
    assert!(!all.text().contains("didn’t allow"), "{}", all.text());
    let forged = browser
        .get(&format!(
            "{}/connect/done?product=Gmail&missing=CANARY",
            stage.url
        ))
        .await;
    assert!(!forged.text().contains("CANARY"), "{}", forged.text());
}

#[tokio::test]
async fn missing_permissions_can_be_allowed_immediately_in_the_same_browser() {
    let (stage, link) = with_link().await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let kept = "openid https://www.googleapis.com/auth/userinfo.email";
    let kept: Vec<&str> = kept.split(' ').collect();
    let done = browser.visit(&stage.consent(&product, ADA, &kept)).await;
    let action = done
        .text()
        .split_once("action=\"")
        .and_then(|(_, rest)| rest.split('"').next().map(str::to_owned))
        .unwrap();
    assert!(action.contains("/connect/again/auth_"), "{action}");
    let missing = |account: &serde_json::Value| account["missing_scopes"].as_array().unwrap().len();
    let before = stage.account("user-1").await;
    assert!(missing(&before) > 0, "{before}");

    let stranger = Browser::new().post(&action, &[]).await;
    assert_eq!(stranger.status, 403, "{}", stranger.text());

    // If the user cancels, nothing changes, and the button works again.
    for scopes in [&[][..], &["all"]] {
        let again = browser.post(&action, &[]).await;
        assert_eq!(again.status, 303, "{}", again.text());
        let back = stage.consent(again.header("location"), ADA, scopes);
        let page = browser.visit(&back).await;
        let account = stage.account("user-1").await;
        assert_eq!(account["state"], "active");
        if scopes.is_empty() {
            assert!(
                page.text().contains("Nothing was connected"),
                "{}",
                page.text()
            );
            assert_eq!(account["missing_scopes"], before["missing_scopes"]);
        } else {
            assert!(
                page.text().contains("<h1>Gmail is connected</h1>"),
                "{}",
                page.text()
            );
            assert!(!page.text().contains("left out"), "{}", page.text());
            assert_eq!(missing(&account), 0, "{account}");
        }
    }
    assert_eq!(browser.post(&action, &[]).await.status, 410);
}

#[tokio::test]
async fn a_callback_with_a_wrong_state_or_issuer_is_refused() {
    let (stage, mut browser, back) = allowed().await;
    let (address, query) = back.split_once('?').unwrap();
    assert_eq!(
        browser
            .visit(&format!("{address}?state=wrong&code=x"))
            .await
            .status,
        404
    );
    assert_eq!(browser.visit(address).await.status, 404);
    let evil = query.replace("accounts.google.com", "accounts.evil.test");
    assert_ne!(evil, query);
    assert_eq!(
        browser.visit(&format!("{address}?{evil}")).await.status,
        502
    );
    assert_eq!(stage.sandbox.sandbox.token_requests(), 0);
    assert_eq!(browser.visit(&back).await.status, 200);
}

#[tokio::test]
async fn a_user_who_refuses_sees_a_calm_page() {
    let (stage, link) = with_link().await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let back = stage.consent(&product, ADA, &[]);
    let page = browser.visit(&back).await;
    assert_eq!(page.status, 403, "{}", page.text());
    assert_eq!(stage.state("user-1").await, "pending_authorization");
    assert_eq!(browser.get(&link).await.status, 410);
}

#[tokio::test]
async fn a_form_from_another_site_is_refused() {
    let (stage, link) = with_link().await;
    let mut request = crate::http_client::request(
        http::Method::POST,
        &link,
        "",
        stead_core::ports::Body::Empty,
    );
    request
        .headers_mut()
        .insert("origin", "https://evil.test".parse().unwrap());
    assert_eq!(stage.http.send(request).await.status, 403);
}

#[tokio::test]
async fn overdue_authorizations_expire_automatically() {
    let stage = Stage::new().await;
    let reply = stage
        .post(
            "/v1/authorization-links",
            &serde_json::json!({ "connection_name": "mail", "identifier": "user-1" }),
        )
        .await;
    let id: AuthorizationId = reply.json()["authorization_id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    stage.clock.advance(SignedDuration::from_mins(11));
    stage.platform.environment().maintain().await.unwrap();
    let error = stage
        .platform
        .environment()
        .send(VerifyAuthorization::new(id.to_string(), "user-1"))
        .await
        .unwrap_err();
    assert_eq!(error.kind().name(), "authorization_expired");
}
