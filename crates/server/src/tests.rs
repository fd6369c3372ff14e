//! Rules for every route.

use std::sync::Arc;

use axum::{body::Body, middleware::from_fn_with_state};
use http::{Request, StatusCode, header};
use serde_json::{Value, json};
use stead_core::environment::Verification;

use crate::{
    Access, middleware,
    routes::Route,
    table,
    testing::{TestService, json_response, request_to},
};

#[tokio::test]
async fn every_application_route_needs_a_token() {
    let service = TestService::new().await;
    let mut walked = 0;
    for (access, routes) in table() {
        for route in routes.iter().filter(|_| access.takes_token()) {
            let name = format!("{} {}", route.method, route.path);
            let stranger = request_to(route).body(Body::empty()).unwrap();
            let stranger = service.send(stranger).await;
            assert_eq!(stranger.status, StatusCode::UNAUTHORIZED, "{name}");
            assert_eq!(
                stranger.header("www-authenticate"),
                r#"Bearer realm="stead""#
            );
            assert_eq!(stranger.problem()["kind"], "unauthenticated", "{name}");
            for (scheme, challenge) in [
                (
                    "Bearer stead_token_wrong",
                    r#"Bearer realm="stead", error="invalid_token""#,
                ),
                ("Basic eDp5", r#"Bearer realm="stead""#),
            ] {
                let wrong = request_to(route)
                    .header(header::AUTHORIZATION, scheme)
                    .body(Body::empty())
                    .unwrap();
                let wrong = service.send(wrong).await;
                assert_eq!(wrong.status, StatusCode::UNAUTHORIZED, "{name}");
                assert_eq!(wrong.problem()["kind"], "unauthenticated", "{name}");
                assert_eq!(wrong.header("www-authenticate"), challenge, "{name}");
            }
            walked += 1;
        }
    }
    assert!(walked >= 20, "{walked}");
}

#[tokio::test]
async fn only_these_routes_need_no_token() {
    let service = TestService::new().await;
    let mut open = Vec::new();
    let open_to_all = |access: Access| !access.takes_token() && access != Access::Mcp;
    for (_, routes) in table().iter().filter(|(access, _)| open_to_all(*access)) {
        // The dashboard's own tests walk its pages.
        for route in routes.iter().filter(|route| !is_of_dashboard(route)) {
            let request = request_to(route).body(Body::empty()).unwrap();
            let challenge = service
                .send(request)
                .await
                .header("www-authenticate")
                .to_owned();
            assert!(!challenge.starts_with("Bearer"), "{}", route.path);
            open.push(format!("{} {}", route.method, route.path));
        }
    }
    open.sort();
    assert_eq!(
        open,
        [
            "GET /",
            "GET /.well-known/oauth-protected-resource",
            "GET /.well-known/oauth-protected-resource/mcp",
            "GET /connect/cancelled",
            "GET /connect/done",
            "GET /connect/failed",
            "GET /connect/{token}",
            "GET /favicon.ico",
            "GET /healthz",
            "GET /icon.svg",
            "GET /logo",
            "GET /openapi.json",
            "GET /readyz",
            "GET /sso/v1/oauth/{connection_id}/callback",
            "POST /connect/again/{authorization_id}",
            "POST /connect/done",
            "POST /connect/failed",
            "POST /connect/{token}",
            "POST /oauth/token",
            "POST /sso/v1/oauth/{connection_id}/callback",
        ]
    );
}

fn is_of_dashboard(route: &Route) -> bool {
    route.path.starts_with("/dashboard")
}

#[tokio::test]
async fn an_unknown_path_is_a_problem() {
    let service = TestService::new().await;
    for path in [
        "/nothing",
        "/v1/",
        "/v1/accounts/mail",
        "/connect/a/b",
        "/sso/v1/oauth/conn_1",
        #[cfg(not(feature = "dashboard"))]
        "/dashboard",
        #[cfg(not(feature = "dashboard"))]
        "/dashboard/sign-in",
    ] {
        let response = service.visit(path).await;
        assert_eq!(response.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(
            response.problem(),
            json!({"kind": "not_found", "detail": "nothing exists at this path; GET / lists all paths"}),
        );
    }
}

#[tokio::test]
async fn a_wrong_method_is_a_problem_that_names_the_right_ones() {
    let service = TestService::new().await;
    for (method, path, allowed) in [
        ("DELETE", "/oauth/token", "POST"),
        ("PUT", "/v1/connections", "GET,HEAD,POST"),
        ("POST", "/v1/accounts/mail/u1", "GET,HEAD,DELETE"),
        ("PUT", "/connect/abc", "GET,HEAD,POST"),
        ("PUT", "/connect/abc/", "GET,HEAD,POST"),
    ] {
        let response = service.browse(method, path, None).await;
        assert_eq!(
            response.status,
            StatusCode::METHOD_NOT_ALLOWED,
            "{method} {path}"
        );
        assert_eq!(response.header("allow"), allowed);
        assert_eq!(response.problem()["kind"], "method_not_allowed");
    }
}

#[tokio::test]
async fn a_slash_at_the_end_makes_no_difference_but_in_a_proxied_path() {
    let service =
        TestService::with_products(|received| json_response(&json!({"uri": received.uri})))
            .await
            .with_account("u1")
            .await;
    for path in [
        "/v1/tools",
        "/v1/tools/mail_list_drafts",
        "/v1/accounts/mail/u1",
        "/v1/connections",
        "/healthz",
    ] {
        let (plain, slash) = (
            service.get(path).await,
            service.get(&format!("{path}/")).await,
        );
        assert_eq!(
            (plain.status, plain.body),
            (StatusCode::OK, slash.body),
            "{path}"
        );
    }
    let page = service.get("/v1/accounts/?connection_name=other").await;
    assert_eq!(page.problem()["kind"], "unknown_connection");
    for path in ["/v1/tools//", "/v1/tools/mail_list_drafts//"] {
        let status = service.get(path).await.status;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
    let passed_on = service
        .get("/proxy/mail/u1/gmail/v1/users/me/profile/")
        .await;
    let uri = passed_on.json()["uri"].as_str().unwrap().to_owned();
    assert!(uri.ends_with("/profile/"), "{uri}");
}

/// Sends a request like a browser, without a token.
async fn browsed(service: &TestService, path: &str) -> crate::testing::TestResponse {
    let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let request = Request::get(path).header(header::ACCEPT, accept);
    service.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_browser_gets_a_page_instead_of_a_problem() {
    let service = TestService::new().await;
    for (path, status, title) in [
        (
            "/dashboards",
            StatusCode::NOT_FOUND,
            "There is no page here",
        ),
        (
            "/v1/tools",
            StatusCode::UNAUTHORIZED,
            "This address is for applications",
        ),
        (
            "/oauth/token",
            StatusCode::METHOD_NOT_ALLOWED,
            "This address is for applications",
        ),
    ] {
        let page = browsed(&service, path).await;
        assert_eq!(page.status, status, "{path}");
        assert_eq!(
            page.header("content-type"),
            "text/html; charset=utf-8",
            "{path}"
        );
        assert!(
            page.header("content-security-policy")
                .contains("default-src 'none'"),
            "{path}"
        );
        assert!(page.text().contains(title), "{path}: {}", page.text());
        assert!(page.text().contains(page.header("x-request-id")), "{path}");
        assert_eq!(
            service.visit(path).await.header("content-type"),
            "application/problem+json"
        );
    }
    let challenge = browsed(&service, "/v1/tools").await;
    assert!(challenge.header("www-authenticate").starts_with("Bearer"));
    assert_eq!(
        browsed(&service, "/oauth/token").await.header("allow"),
        "POST"
    );
    // The default `Accept` of Java's oldest client. The token shows that it's a program.
    let request = service
        .request("GET", "/v1/nothing")
        .header(header::ACCEPT, "text/html, image/gif, */*; q=.2");
    let response = service.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(response.header("content-type"), "application/problem+json");
    assert_eq!(
        service.visit("/favicon.ico").await.status,
        StatusCode::NO_CONTENT
    );
}

#[tokio::test]
async fn a_problem_has_no_body_for_head_but_its_length() {
    let service = TestService::new().await;
    for path in ["/nothing", "/v1/tools", "/proxy/mail/u1/v1/x"] {
        let whole = service.visit(path).await;
        let head = service.browse("HEAD", path, None).await;
        assert_eq!(head.status, whole.status, "{path}");
        assert!(head.body.is_empty(), "{path}: {}", head.text());
        let length = whole.body.len().to_string();
        assert_eq!(head.header("content-length"), length, "{path}");
    }
}

#[tokio::test]
async fn near_misses_in_bodies_are_accepted_and_other_faults_explained() {
    let service = TestService::new().await.with_account("u1").await;
    let call = json!({
        "connection_name": "mail", "identifier": "u1", "input": "{\"max_results\": \"5\"}", "dry_run": "true", "tool_version": null,
    });
    let described = service
        .post("/v1/tools/mail_list_drafts/execute", call)
        .await;
    assert_eq!(described.status, StatusCode::OK, "{}", described.text());
    assert_eq!(described.json()["data"]["dry_run"], true);

    let wrong = json!({"connection": "mail", "identifier": "u1", "inputs": {}});
    let refused = service
        .post("/v1/tools/mail_list_drafts/execute", wrong)
        .await;
    refused.assert_problem(StatusCode::BAD_REQUEST, "invalid_request");
    let body = serde_json::from_slice::<Value>(&refused.body).unwrap();
    let mut places: Vec<_> = body["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    places.sort_unstable();
    assert_eq!(places, ["/connection", "/connection_name", "/inputs"]);
    assert!(!refused.text().contains("struct"), "{}", refused.text());
}

#[tokio::test]
async fn the_root_describes_the_service() {
    let service = TestService::open(
        "https://example.com/stead/",
        Verification::Application,
        |_| json_response(&json!({})),
    )
    .await;
    let response = service.visit("/").await;
    let index = response.json();
    for (name, expected) in [
        ("service", "stead"),
        ("version", env!("CARGO_PKG_VERSION")),
        ("token_url", "https://example.com/stead/oauth/token"),
        ("tools_url", "https://example.com/stead/v1/tools"),
        ("health_url", "https://example.com/stead/healthz"),
    ] {
        assert_eq!(index[name], expected);
    }
    let listed = index["resources"].as_array().unwrap();
    assert!(listed.iter().all(|one| one["access"] != "dashboard"));
    let accounts = json!({"method": "GET", "path": "/v1/accounts", "access": "application", "scope": "accounts:read"});
    assert!(listed.contains(&accounts), "{index}");
    let request = Request::get("/")
        .header(header::ACCEPT, "text/html,application/xhtml+xml")
        .body(Body::empty())
        .unwrap();
    let page = service.send(request).await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let text = page.text().replace("&#x2f;", "/");
    assert!(
        text.contains("POST https://example.com/stead/oauth/token"),
        "{text}"
    );
    assert!(text.contains("GET /v1/accounts"), "{text}");
}

#[tokio::test]
async fn health_and_readiness() {
    let service = TestService::new().await;
    assert_eq!(
        service.visit("/healthz").await.json(),
        json!({"status": "ok"})
    );
    assert_eq!(
        service.visit("/readyz").await.json(),
        json!({"status": "ready"})
    );
    service.platform.shut_down().await;
    assert_eq!(service.visit("/healthz").await.status, StatusCode::OK);
    let response = service.visit("/readyz").await;
    response.assert_problem(StatusCode::SERVICE_UNAVAILABLE, "shutting_down");
}

#[tokio::test]
async fn a_panic_ends_in_a_problem_that_quotes_nothing() {
    let service = TestService::with_products(|_| panic!("CANARY"))
        .await
        .with_account("u1")
        .await;
    let response = service.get("/proxy/mail/u1/v1/users/me/profile").await;
    response.assert_problem(StatusCode::INTERNAL_SERVER_ERROR, "internal");
    assert!(!response.text().contains("CANARY"), "{}", response.text());
    assert_eq!(service.visit("/healthz").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_handler_that_panics_ends_in_a_problem() {
    let service = TestService::new().await;
    let panics = axum::routing::get(async || -> &'static str { panic!("CANARY") });
    let environment = service.platform.environment().clone();
    let service = service.within(|_| {
        let options = crate::ServerOptions::default();
        let state = crate::state::ServerState::new(&environment, &options, std::iter::empty());
        let around = Arc::new(middleware::Around::new(&state, None));
        let layer = from_fn_with_state((around, "none"), middleware::enter);
        axum::Router::new().route("/panics", panics).layer(layer)
    });
    let response = service.visit("/panics").await;
    response.assert_problem(StatusCode::INTERNAL_SERVER_ERROR, "internal");
    assert!(!response.text().contains("CANARY"), "{}", response.text());
}

#[tokio::test]
async fn a_nested_service_answers_under_its_prefix() {
    let service = TestService::open(
        "https://example.com/stead",
        Verification::LinkPossession,
        |received| json_response(&json!({"uri": received.uri})),
    )
    .await;
    let router = crate::router(&service.platform);
    // The application has its own routes, for any path.
    let own = axum::routing::get(async || "by the application");
    let application = axum::Router::new().nest("/stead", router);
    let nested = service.within(|_| application.route("/{*path}", own));
    assert_eq!(nested.visit("/other").await.text(), "by the application");
    assert_eq!(nested.visit("/stead/healthz/").await.status, StatusCode::OK);
    nested.connect_mail().await;
    let link = nested.link("u1", None).await;
    assert_eq!(nested.visit(&link).await.status, StatusCode::OK);
    let response = nested.get("/stead/proxy/mail/u1/v1/x").await;
    assert_eq!(response.problem()["kind"], "authorization_required");
}

#[tokio::test]
async fn every_response_names_its_request_and_every_call_its_execution() {
    let service = TestService::new().await.with_account("ada").await;
    for (_, routes) in table() {
        for route in &routes {
            let stranger = service
                .send(request_to(route).body(Body::empty()).unwrap())
                .await;
            assert!(
                stranger.header("stead-request-id").starts_with("req_"),
                "{} {}",
                route.method,
                route.path
            );
            assert_eq!(
                stranger.header("x-request-id"),
                stranger.header("stead-request-id")
            );
        }
    }
    let unknown = service.visit("/nothing").await;
    let problem: Value = serde_json::from_slice(&unknown.body).unwrap();
    assert_eq!(problem["request_id"], unknown.header("stead-request-id"));
    assert_eq!(unknown.header("stead-error"), "not_found");

    let body =
        |input: Value| json!({ "connection_name": "mail", "identifier": "ada", "input": input });
    let run = "/v1/tools/mail_get_message_by_id/execute";
    let raw = json!({ "connection_name": "mail", "identifier": "ada", "method": "GET", "path": "/v1/users/me/profile" });
    let mut elsewhere = raw.clone();
    elsewhere["path"] = json!("/elsewhere");
    for (response, is_error) in [
        (
            service.post(run, body(json!({ "message_id": "1" }))).await,
            false,
        ),
        (service.post(run, body(json!({}))).await, true),
        (service.post("/v1/proxy", raw).await, false),
        (service.post("/v1/proxy", elsewhere).await, true),
        (
            service.get("/proxy/mail/ada/v1/users/me/profile").await,
            false,
        ),
        (
            service.get("/proxy/mail/nobody/v1/users/me/profile").await,
            true,
        ),
    ] {
        let id = response.header("stead-execution-id");
        assert!(id.starts_with("exec_"), "{}", response.text());
        assert!(response.header("stead-request-id").starts_with("req_"));
        assert_eq!(
            response.header("x-request-id"),
            response.header("stead-request-id")
        );
        assert_eq!(!response.header("stead-error").is_empty(), is_error);
        if is_error {
            let problem: Value = serde_json::from_slice(&response.body).unwrap();
            assert_eq!(problem["execution_id"], id);
        }
    }
}
