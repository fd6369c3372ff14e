//! The authorization server of an account.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use stead_sandbox::{Fault, RotationMode, Sandbox, WAREHOUSE_CLIENT_ID};

use super::{ADA, GRACE, HOST, fails};
use crate::client::{REDIRECT, Reply, Stage, VERIFIER, cases, form};

#[track_caller]
fn refused(reply: &Reply, status: u16, error: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    let body = reply.json();
    assert_eq!(body["error"], error, "{}", reply.text);
    assert_eq!(body["success"], false);
    assert_eq!(body.get("access_token"), None);
}

async fn ends(stage: &Stage, refresh: &str) {
    let reply = stage.snowflake_refresh(refresh).await;
    refused(&reply, 400, "invalid_grant");
}

/// The refresh token of a reply.
#[track_caller]
fn kept(reply: &Reply) -> String {
    reply.ok()["refresh_token"]
        .as_str()
        .expect("a token")
        .to_owned()
}

#[tokio::test]
async fn a_code_becomes_tokens_once() {
    let stage = Stage::new().await;
    let code = stage.snowflake_code(ADA, &[]).await;
    let tokens = stage.snowflake_exchange(&code).await.ok();
    assert_eq!(tokens["expires_in"], 600);
    assert_eq!(tokens["token_type"], "Bearer");
    assert_eq!(tokens["username"], "ADA");
    assert_eq!(tokens["scope"], "refresh_token session:role:ANALYST");
    let access = tokens["access_token"].as_str().unwrap();
    assert_eq!(stage.sql(access, "SELECT 1").await.status, 200);
    // The second use is rejected and revokes the tokens from the first one.
    refused(&stage.snowflake_exchange(&code).await, 400, "invalid_grant");
    fails(&stage.sql(access, "SELECT 1").await, 401, "390303");
}

#[tokio::test]
async fn a_refresh_token_needs_its_scope() {
    let stage = Stage::new().await;
    for (scope, comes) in [
        ("refresh_token", true),
        ("session:role:SYSADMIN", false),
        ("", false),
    ] {
        let code = stage.snowflake_code(ADA, &[("scope", scope)]).await;
        let tokens = stage.snowflake_exchange(&code).await.ok();
        assert_eq!(tokens.get("refresh_token").is_some(), comes, "{scope}");
    }
}

#[tokio::test]
async fn tokens_live_ten_minutes_and_are_refreshed() {
    let stage = Stage::new().await;
    let code = stage.snowflake_code(ADA, &[]).await;
    let tokens = stage.snowflake_exchange(&code).await.ok();
    let (access, refresh) = (
        tokens["access_token"].as_str().unwrap(),
        tokens["refresh_token"].as_str().unwrap(),
    );
    stage.sandbox().fault(Fault::Advance { seconds: 599 });
    assert_eq!(stage.sql(access, "SELECT 1").await.status, 200);
    stage.sandbox().fault(Fault::Advance { seconds: 1 });
    fails(&stage.sql(access, "SELECT 1").await, 401, "390318");
    let again = stage.snowflake_refresh(refresh).await.ok();
    assert_eq!(again.get("refresh_token"), None);
    assert_eq!(again.get("username"), None);
    let access = again["access_token"].as_str().unwrap();
    assert_eq!(stage.sql(access, "SELECT 1").await.status, 200);
    // The grant ends ninety days after the consent.
    stage.sandbox().fault(Fault::Advance { seconds: 7_776_000 });
    ends(&stage, refresh).await;
    assert_eq!(stage.sandbox().token_requests_of("refresh_token"), 2);
}

#[tokio::test]
async fn single_use_refresh_tokens_are_an_option() {
    for (mode, survives) in [
        (RotationMode::Rotating, true),
        (RotationMode::Strict, false),
    ] {
        let stage = Stage::new().await;
        stage.sandbox().fault(Fault::Rotation { mode });
        let code = stage.snowflake_code(ADA, &[]).await;
        let first = kept(&stage.snowflake_exchange(&code).await);
        let second = kept(&stage.snowflake_refresh(&first).await);
        assert_ne!(first, second);
        ends(&stage, &first).await;
        let third = stage.snowflake_refresh(&second).await;
        assert_eq!(third.status == 200, survives, "{mode:?}");
    }
}

#[tokio::test]
async fn an_exchange_may_ask_for_single_use_refresh_tokens() {
    let stage = Stage::new().await;
    let code = stage.snowflake_code(ADA, &[]).await;
    let exchanged = stage
        .snowflake_token(&[
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
            ("enable_single_use_refresh_tokens", "true"),
        ])
        .await;
    let mut token = kept(&exchanged);
    // Each token expires 90 days after it was issued.
    for _ in 0..3 {
        stage.cause(json!({ "kind": "advance", "seconds": 60 * 24 * 3600 }));
        let next = kept(&stage.snowflake_refresh(&token).await);
        ends(&stage, &token).await;
        token = next;
    }
}

#[tokio::test]
async fn the_role_is_fixed_by_the_scope() {
    let stage = Stage::new().await;
    let table = "
        refresh_token => ANALYST => refresh_token session:role:ANALYST
        session:role:SYSADMIN => SYSADMIN => session:role:SYSADMIN
        session:role-encoded:SYS%41DMIN => SYSADMIN => session:role:SYSADMIN
    ";
    for [scope, role, shown] in cases(table) {
        let code = stage.snowflake_code(ADA, &[("scope", scope)]).await;
        let tokens = stage.snowflake_exchange(&code).await.ok();
        assert_eq!(tokens["scope"], shown);
        let access = tokens["access_token"].as_str().unwrap();
        assert_eq!(
            stage.sql(access, "SELECT CURRENT_ROLE()").await.ok()["data"],
            json!([[role]])
        );
        let other = json!({"statement": "SELECT 1", "role": "PUBLIC"});
        fails(&stage.submit(access, "", &other).await, 422, "390189");
    }
    let any = stage.snowflake_access(ADA, "session:role-any").await;
    for (role, status) in [("SYSADMIN", 200), ("PUBLIC", 200), ("NAVY", 422)] {
        let body = json!({"statement": "SELECT CURRENT_ROLE()", "role": role});
        assert_eq!(stage.submit(&any, "", &body).await.status, status, "{role}");
    }
}

#[tokio::test]
async fn a_role_that_is_not_the_users_ends_at_the_page() {
    let stage = Stage::new().await;
    for (user, role) in [
        (ADA, "ACCOUNTADMIN"),
        (ADA, "NAVY"),
        (GRACE, "ANALYST"),
        (ADA, "analyst"),
    ] {
        let scope = format!("session:role:{role}");
        let page = stage.snowflake_page(&[("scope", &scope)]).await;
        let back = stage
            .post_form(&page.form_action(), &[("user", user), ("action", "allow")])
            .await;
        assert_eq!(back.status, 400, "{role}");
        let text = &back.text;
        assert!(text.contains("Invalid consent request."), "{text}");
    }
}

#[tokio::test]
async fn the_authorization_request_is_checked() {
    let stage = Stage::new().await;
    for (name, wrong) in [
        ("client_id", "nobody"),
        ("redirect_uri", "https://203.0.113.7/cb"),
        ("client_id", "(absent)"),
    ] {
        let page = stage.snowflake_page(&[(name, wrong)]).await;
        assert_eq!(page.status, 400, "{name}");
    }
    let table = "
        response_type => token => unsupported_response_type
        code_challenge => (absent) => invalid_request
        code_challenge_method => plain => invalid_request
        code_challenge => short => invalid_request
        scope => refresh_token offline_access => invalid_scope
        scope => session:role:A session:role:B => invalid_scope
        scope => session:role: => invalid_scope
    ";
    for [name, wrong, error] in cases(table) {
        let back = stage.snowflake_page(&[(name, wrong)]).await;
        assert_eq!(back.status, 303, "{name}={wrong}: {}", back.text);
        let query = back.location().query().unwrap_or_default().to_owned();
        assert!(
            query.contains(&format!("error={error}")) && query.contains("state=s+t"),
            "{query}"
        );
    }
    let page = stage.snowflake_page(&[]).await;
    let back = stage
        .post_form(&page.form_action(), &[("user", ADA), ("action", "deny")])
        .await;
    let query = back.location().query().unwrap_or_default().to_owned();
    assert!(query.contains("error=access_denied"), "{query}");
    let again = stage
        .post_form(&page.form_action(), &[("user", ADA), ("action", "allow")])
        .await;
    assert_eq!(again.status, 400);
}

#[tokio::test]
async fn the_token_request_is_checked() {
    let stage = Stage::new().await;
    let path = format!("{HOST}/oauth/token-request");
    let code = stage.snowflake_code(ADA, &[]).await;
    let good = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", REDIRECT),
    ];
    // The client authenticates without Basic, or with its secret in the body.
    refused(&stage.post_form(&path, &good).await, 401, "invalid_client");
    let mut in_body = good.to_vec();
    in_body.push(("client_id", WAREHOUSE_CLIENT_ID));
    in_body.push(("client_secret", "sandbox-secret"));
    let reply = stage.post_form(&path, &in_body).await;
    refused(&reply, 400, "invalid_request");
    // Without the verifier, the exchange fails and uses up the code.
    refused(&stage.snowflake_token(&good).await, 400, "invalid_grant");
    refused(&stage.snowflake_exchange(&code).await, 400, "invalid_grant");
    for (grant, error) in [
        ("password", "unsupported_grant_type"),
        ("refresh_token", "invalid_request"),
    ] {
        let reply = stage.snowflake_token(&[("grant_type", grant)]).await;
        refused(&reply, 400, error);
    }
    ends(&stage, "ver:2-made-up").await;
}

#[tokio::test]
async fn a_token_is_valid_at_its_own_host() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let other = "/other-account.snowflakecomputing.com/api/v2/statements";
    let request = stage
        .http
        .post(stage.url(other))
        .bearer_auth(&access)
        .header("user-agent", "test/1")
        .header("accept", "application/json")
        .header("content-type", "application/json")
        .body(r#"{"statement": "SELECT 1"}"#);
    fails(&stage.send(request).await, 401, "390303");
}

#[tokio::test]
async fn faults_apply_here_too() {
    let stage = Stage::of(Sandbox::new().with_token_marker("CANARY")).await;
    let sandbox = stage.sandbox().clone();
    let code = stage.snowflake_code(ADA, &[]).await;
    let tokens = stage.snowflake_exchange(&code).await.ok();
    let access = tokens["access_token"].as_str().unwrap();
    let refresh = tokens["refresh_token"].as_str().unwrap();
    assert!(access.contains("CANARY") && refresh.contains("CANARY"));

    sandbox.fault(Fault::Unauthorized { times: 1 });
    fails(&stage.sql(access, "SELECT 1").await, 401, "390303");
    stage.cause(json!({
        "kind": "error", "host": "sandbox-acme.snowflakecomputing.com", "path_contains": "statements",
        "status": 429, "reason": "390505", "message": "Too many requests.", "retry_after": "3",
    }));
    let reply = stage.sql(access, "SELECT 1").await;
    fails(&reply, 429, "390505");
    assert_eq!(reply.header("retry-after"), "3");
    stage
        .cause(json!({ "kind": "token_error", "error": "temporarily_unavailable", "status": 503 }));
    let reply = stage.snowflake_refresh(refresh).await;
    refused(&reply, 503, "temporarily_unavailable");
    stage.cause(json!({ "kind": "expire_access_tokens", "user": ADA }));
    fails(&stage.sql(access, "SELECT 1").await, 401, "390318");
    stage.cause(json!({ "kind": "revoke", "user": ADA }));
    fails(&stage.sql(access, "SELECT 1").await, 401, "390303");
    ends(&stage, refresh).await;

    let log = serde_json::to_string(&sandbox.received()).unwrap();
    assert!(!log.contains("CANARY"), "{log}");
}

#[tokio::test]
async fn a_plus_in_the_basic_credentials_is_a_space() {
    let sandbox = Sandbox::new();
    sandbox.add_warehouse_client("my client", "my secret", &[]);
    let stage = Stage::of(sandbox).await;
    let code = stage
        .snowflake_code(ADA, &[("client_id", "my client")])
        .await;
    // RFC 6749, section 2.3.1: ID and secret are form-encoded first.
    let basic = STANDARD.encode("my+client:my%20secret");
    let request = stage
        .http
        .post(stage.url(&format!("{HOST}/oauth/token-request")))
        .header("authorization", format!("Basic {basic}"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form(&[
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
        ]));
    stage.send(request).await.ok();
}
