//! Causes every kind in the table of errors: here, or in the test or fixture that `elsewhere` names.

mod elsewhere;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use jiff::SignedDuration;
use serde_json::json;
use stead::Platform;
use stead_core::{
    ErrorKind,
    catalogue::Catalogue,
    environment::Verification,
    ports::{Body, Decision, Limits, Policy, PolicyRequest},
    product::Product,
    resource::ExecuteRequest,
};
use stead_sandbox::Fault;

use crate::{
    browser::Browser,
    clock::Clock,
    http_client,
    stage::{ADA, GRACE, Setting, Stage},
};

/// The mail product with a short time limit.
static HASTY: Product = Product {
    name: "mail",
    title: "Mail",
    origins: stead::mail::PRODUCT.origins,
    proxy: stead::mail::PRODUCT.proxy,
    oauth: stead::mail::PRODUCT.oauth,
    limits: Limits {
        first_byte: Duration::from_millis(50),
        ..Limits::DEFAULT
    },
    ..Product::BASE
};

/// Denies, or asks for approval, by identifier.
struct ByName;

impl Policy for ByName {
    fn admit(&self, request: &PolicyRequest<'_>) -> Decision {
        match request.identifier {
            "denied" => Decision::Deny(String::from("this user's mail is off limits")),
            "held" => Decision::Hold(String::from("someone has to approve this")),
            _ => Decision::Allow,
        }
    }
}

/// Kinds seen so far.
#[derive(Default)]
struct Seen(BTreeSet<&'static str>);

impl Seen {
    #[track_caller]
    fn kind(&mut self, kind: ErrorKind, reply: &http_client::Reply) {
        assert_eq!(reply.kind(), kind.name(), "{}", reply.text());
        assert_eq!(reply.status.as_u16(), kind.status(), "{kind}");
        self.0.insert(kind.name());
    }

    /// A page for the end user, which explains the kind in other words.
    #[track_caller]
    fn page(&mut self, kind: ErrorKind, reply: &http_client::Reply) {
        assert_eq!(
            reply.status.as_u16(),
            kind.status(),
            "{kind}: {}",
            reply.text()
        );
        assert!(
            reply.header("content-type").starts_with("text/html"),
            "{kind}"
        );
        self.0.insert(kind.name());
    }
}

#[tokio::test]
async fn every_kind_of_the_table_is_provoked() {
    let mut seen = Seen::default();
    requests(&mut seen).await;
    policy(&mut seen).await;
    accounts(&mut seen).await;
    links(&mut seen).await;
    verification(&mut seen).await;
    refresh(&mut seen).await;
    product(&mut seen).await;
    transport(&mut seen).await;

    let elsewhere: BTreeSet<_> = elsewhere::KINDS
        .iter()
        .map(|(kind, _)| kind.name())
        .collect();
    let missing: Vec<_> = ErrorKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|name| !seen.0.contains(name) && !elsewhere.contains(name))
        .collect();
    assert!(missing.is_empty(), "no test provokes {missing:?}");
    let twice: Vec<_> = seen
        .0
        .iter()
        .filter(|name| elsewhere.contains(*name))
        .collect();
    assert!(twice.is_empty(), "provoked here after all: {twice:?}");
}

async fn requests(seen: &mut Seen) {
    let stage = Stage::new().await;
    let reply = stage.post("/v1/proxy", &json!({})).await;
    seen.kind(ErrorKind::InvalidRequest, &reply);
    let large = json!({ "body": "x".repeat(10 * 1024 * 1024) });
    let reply = stage.post("/v1/proxy", &large).await;
    seen.kind(ErrorKind::RequestTooLarge, &reply);
    let reply = stage
        .http
        .get(&format!("{}/v1/tools", stage.url), "wrong")
        .await;
    seen.kind(ErrorKind::Unauthenticated, &reply);
    for (path, kind) in [
        ("/nowhere", ErrorKind::NotFound),
        ("/v1/tools/nothing", ErrorKind::UnknownTool),
        ("/v1/connections/nothing", ErrorKind::UnknownConnection),
        ("/v1/accounts/mail/unknown", ErrorKind::AccountNotFound),
    ] {
        seen.kind(kind, &stage.get(path).await);
    }
    let reply = stage.drafts("user-1").await;
    seen.kind(ErrorKind::AuthorizationRequired, &reply);
    let reply = stage
        .post(
            "/v1/connections",
            &json!({ "connection_name": "mail", "product": "mail" }),
        )
        .await;
    seen.kind(ErrorKind::AlreadyExists, &reply);
    stage.connect("user-1", ADA).await;
    let reply = stage
        .execute("mail_list_drafts", "user-1", json!({ "x": 1 }))
        .await;
    seen.kind(ErrorKind::SchemaViolation, &reply);
    let (profile, none) = ("/v1/users/me/profile", json!({}));
    for (path, method, headers, kind) in [
        ("//evil.test", "GET", &none, ErrorKind::PathInvalid),
        (profile, "TRACE", &none, ErrorKind::MethodNotAllowed),
        (
            profile,
            "GET",
            &json!({ "cookie": "a=b" }),
            ErrorKind::HeaderNotAllowed,
        ),
    ] {
        let request = json!({ "connection_name": "mail", "identifier": "user-1", "path": path, "method": method, "headers": headers });
        seen.kind(kind, &stage.post("/v1/proxy", &request).await);
    }
    stage.platform.shut_down().await;
    seen.kind(ErrorKind::ShuttingDown, &stage.get("/v1/tools").await);
}

async fn policy(seen: &mut Seen) {
    let stage = Stage::set(Setting {
        policy: Some(Arc::new(ByName)),
        ..Setting::default()
    })
    .await;
    for (identifier, kind) in [
        ("denied", ErrorKind::Forbidden),
        ("held", ErrorKind::ApprovalRequired),
    ] {
        stage.connect(identifier, ADA).await;
        let before = stage.received();
        let reply = stage.drafts(identifier).await;
        seen.kind(kind, &reply);
        let reply = stage
            .get(&format!("/proxy/mail/{identifier}/v1/users/me/profile"))
            .await;
        seen.kind(kind, &reply);
        assert_eq!(stage.received(), before, "nothing was sent");
    }
}

async fn accounts(seen: &mut Seen) {
    let stage = Stage::connected().await;
    let reply = stage
        .post("/v1/accounts/mail/user-1/resume", &json!({}))
        .await;
    seen.kind(ErrorKind::InvalidTransition, &reply);
    stage
        .post("/v1/accounts/mail/user-1/suspend", &json!({}))
        .await;
    let reply = stage.drafts("user-1").await;
    seen.kind(ErrorKind::AccountSuspended, &reply);
    stage
        .post(
            "/v1/connections",
            &json!({ "connection_name": "draft", "product": "mail" }),
        )
        .await;
    let link = json!({ "connection_name": "draft", "identifier": "user-1" });
    let reply = stage.post("/v1/authorization-links", &link).await;
    seen.kind(ErrorKind::ConnectionNotReady, &reply);
}

async fn links(seen: &mut Seen) {
    let stage = Stage::new().await;
    let unknown = format!("{}/connect/{}", stage.url, "x".repeat(43));
    let page = Browser::new().get(&unknown).await;
    seen.page(ErrorKind::AuthorizationNotFound, &page);

    let link = stage.link("user-1").await;
    let mut forged = http_client::request(http::Method::POST, &link, "", Body::Empty);
    forged
        .headers_mut()
        .insert("origin", "https://evil.test".parse().unwrap());
    seen.page(ErrorKind::OriginRejected, &stage.http.send(forged).await);
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let page = Browser::new().post(&link, &[]).await;
    seen.page(ErrorKind::BrowserMismatch, &page);
    let back = stage.consent(&product, ADA, &[]);
    seen.page(ErrorKind::AuthorizationDenied, &browser.visit(&back).await);

    stage.connect("user-1", ADA).await;
    let link = stage.link("user-1").await;
    let mut browser = Browser::new();
    let page = browser.connect(&stage, &link, GRACE).await;
    seen.page(ErrorKind::ProductAccountMismatch, &page);
    seen.page(ErrorKind::AuthorizationConsumed, &browser.get(&link).await);

    let link = stage.link("user-2").await;
    stage.cause(json!({ "kind": "token_error", "error": "invalid_grant", "status": 400 }));
    let page = Browser::new().connect(&stage, &link, ADA).await;
    seen.page(ErrorKind::AuthorizationFailed, &page);
    let link = stage.link("user-2").await;
    stage.cause(json!({ "kind": "token_error", "error": "invalid_client", "status": 401 }));
    let page = Browser::new().connect(&stage, &link, ADA).await;
    seen.page(ErrorKind::ConnectionCredentialsRejected, &page);

    let link = stage.link("user-3").await;
    stage.clock.advance(SignedDuration::from_mins(11));
    let page = Browser::new().get(&link).await;
    seen.page(ErrorKind::AuthorizationExpired, &page);
}

async fn verification(seen: &mut Seen) {
    let stage = Stage::set(Setting {
        verification: Verification::Application,
        ..Setting::default()
    })
    .await;
    let body = json!({ "connection_name": "mail", "identifier": "user-1", "verify_url": "https://app.example/" });
    let link = stage.post("/v1/authorization-links", &body).await.json();
    Browser::new()
        .connect(&stage, link["link"].as_str().unwrap(), ADA)
        .await;
    let reply = stage.drafts("user-1").await;
    seen.kind(ErrorKind::VerificationRequired, &reply);
    let id = link["authorization_id"].as_str().unwrap();
    let reply = stage.verify(id, "another").await;
    seen.kind(ErrorKind::IdentifierMismatch, &reply);
}

/// Two processes share one database. While one refreshes, the other one waits, and finally gives up.
async fn refresh(seen: &mut Seen) {
    let stage = Stage::connected().await;
    let clock = Clock::new();
    let other = stage
        .over_its_store()
        .runtime(Arc::clone(&clock) as _)
        .build()
        .await
        .unwrap();
    let call = |platform: &Platform| {
        let actions = platform.actions();
        tokio::spawn(async move {
            actions
                .execute_tool("mail_list_drafts", "mail", "user-1", json!({}))
                .await
        })
    };
    let sandbox = &stage.sandbox.sandbox;
    sandbox.fault(Fault::ExpireAccessTokens { user: None });
    sandbox.fault(Fault::HoldTokenRequests);
    let first = call(&stage.platform);
    while sandbox.token_requests_of("refresh_token") == 0 {
        tokio::task::yield_now().await;
    }
    let second = call(&other);
    while !clock.waits_for_another() {
        tokio::task::yield_now().await;
    }
    clock.advance(SignedDuration::from_secs(30));
    let error = second.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RefreshInProgress, "{error}");
    seen.0.insert(error.kind().name());
    let hurried = stage
        .platform
        .environment()
        .clone()
        .within(Duration::from_millis(1));
    let asked = ExecuteRequest::new("mail", "user-1", json!({}));
    let error = hurried.execute("mail_list_drafts", asked).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
    seen.0.insert(error.kind().name());
    sandbox.fault(Fault::ReleaseTokenRequests);
    first.await.unwrap().unwrap();
    other.shut_down().await;
}

async fn product(seen: &mut Seen) {
    let stage = Stage::connected().await;
    for (status, reason, kind, times) in [
        (403, "insufficientPermissions", ErrorKind::ScopeMissing, 1),
        (403, "domainPolicy", ErrorKind::ProductForbidden, 1),
        (403, "accessNotConfigured", ErrorKind::ProductNotEnabled, 1),
        (
            403,
            "dailyLimitExceeded",
            ErrorKind::ProductQuotaExhausted,
            1,
        ),
        (404, "notFound", ErrorKind::ProductNotFound, 1),
        (409, "conflict", ErrorKind::ProductConflict, 1),
        (400, "badRequest", ErrorKind::ProductInvalidRequest, 1),
        (429, "rateLimitExceeded", ErrorKind::ProductRateLimited, 4),
        (503, "backendError", ErrorKind::ProductUnavailable, 4),
    ] {
        stage.cause(json!({ "kind": "error", "status": status, "reason": reason, "retry_after": "0", "times": times }));
        let reply = stage.drafts("user-1").await;
        seen.kind(kind, &reply);
    }
    stage.fault(Fault::Unauthorized { times: 2 });
    let reply = stage.drafts("user-1").await;
    seen.kind(ErrorKind::ProductRejectedToken, &reply);
    stage.cause(json!({ "kind": "not_json" }));
    let reply = stage.drafts("user-1").await;
    seen.kind(ErrorKind::ProductProtocolError, &reply);
    stage.cause(json!({ "kind": "redirect", "location": "https://evil.test/" }));
    let reply = stage.drafts("user-1").await;
    seen.kind(ErrorKind::UpstreamRedirectBlocked, &reply);
    stage.cause(json!({ "kind": "token_error", "error": "server_error", "status": 503 }));
    stage.clock.advance(SignedDuration::from_hours(2));
    let bearer = stage.token().await;
    let url = format!("{}/proxy/mail/user-1/v1/users/me/profile", stage.url);
    let reply = stage.http.get(&url, &bearer).await;
    seen.kind(ErrorKind::RefreshUnavailable, &reply);
}

/// Connections that break, stall or never end. A read can be retried, and a write can't.
async fn transport(seen: &mut Seen) {
    let stage = Stage::connected().await;
    let profile = "/proxy/mail/user-1/v1/users/me/profile";
    stage.cause(json!({ "kind": "cut_before_response", "times": 2 }));
    seen.kind(ErrorKind::UpstreamTruncated, &stage.get(profile).await);
    stage.cause(json!({ "kind": "cut_before_response" }));
    let write = json!({ "connection_name": "mail", "identifier": "user-1", "path": "/v1/users/me/labels", "method": "POST", "body": {} });
    let reply = stage.post("/v1/proxy", &write).await;
    seen.kind(ErrorKind::OutcomeUnknown, &reply);
    stage.cause(json!({ "kind": "huge_body", "bytes": 80 * 1024 * 1024 }));
    let reply = stage.drafts("user-1").await;
    seen.kind(ErrorKind::ResponseTooLarge, &reply);

    let catalogue = Some(Catalogue::new([&HASTY]));
    let hasty = Stage::set(Setting {
        catalogue,
        ..Setting::default()
    })
    .await;
    hasty.connect("user-1", ADA).await;
    hasty.cause(json!({ "kind": "stall", "times": 4 }));
    seen.kind(ErrorKind::ProductTimeout, &hasty.get(profile).await);
}
