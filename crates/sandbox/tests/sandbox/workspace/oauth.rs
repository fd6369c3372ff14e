//! Notion's authorization server.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use stead_sandbox::{Fault, Sandbox, WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET};

use super::{ADA, GRACE, OLD, access};
use crate::client::{Reply, Stage, form};

#[tokio::test]
async fn a_code_becomes_tokens_without_a_lifetime() {
    let stage = Stage::new().await;
    let code = stage
        .notion_code(&[("user", ADA), ("scope", "all"), ("action", "allow")])
        .await;
    let tokens = stage.notion_exchange(&code).await.ok();
    assert_eq!(tokens["token_type"], "bearer");
    assert_eq!(tokens["workspace_name"], "Analytical Engine Works");
    assert_eq!(tokens["owner"]["user"]["person"]["email"], ADA);
    assert_eq!(tokens.get("expires_in"), None);
    let again = stage.notion_tokens(ADA).await;
    assert_eq!(again["bot_id"], tokens["bot_id"]);
    assert_ne!(stage.notion_tokens(GRACE).await["bot_id"], tokens["bot_id"]);
    let me = stage.notion_me(&access(&tokens)).await.ok();
    assert_eq!(me["id"], tokens["bot_id"]);
    // The second use is rejected and revokes the tokens from the first one.
    assert_eq!(
        stage.notion_exchange(&code).await.json()["error"],
        "invalid_grant"
    );
    let dead = stage.notion_me(&access(&tokens)).await;
    dead.refused_by_notion(401, "unauthorized");
}

#[tokio::test]
async fn the_authorization_page_is_strict() {
    let stage = Stage::new().await;
    for wrong in [
        ("client_id", "nobody"),
        ("redirect_uri", "http://app.example.com/cb"),
        ("response_type", "token"),
        ("owner", "workspace"),
        ("owner", "(absent)"),
    ] {
        assert_eq!(stage.notion_page(&[wrong]).await.status, 400, "{wrong:?}");
    }
    let denied = stage.notion_consent(&[("action", "deny")]).await;
    assert_eq!(
        denied.location().query(),
        Some("error=access_denied&state=s+t")
    );
    for incomplete in [
        &[("user", ADA), ("action", "allow")][..],
        &[
            ("user", "eve@example.com"),
            ("scope", "all"),
            ("action", "allow"),
        ],
        &[("user", ADA), ("scope", "all")],
    ] {
        assert_eq!(
            stage.notion_consent(incomplete).await.status,
            400,
            "{incomplete:?}"
        );
    }
}

#[tokio::test]
async fn the_token_endpoint_takes_only_json_and_basic() {
    let stage = Stage::new().await;
    let grant = [("grant_type", "refresh_token"), ("refresh_token", "x")];
    let path = "/api.notion.com/v1/oauth/token";
    let by_form = stage.post_form(path, &grant).await;
    assert_eq!(
        (by_form.status, by_form.json()["error"].clone()),
        (401, json!("invalid_client"))
    );
    let pair = STANDARD.encode(format!("{WORKSPACE_CLIENT_ID}:{WORKSPACE_CLIENT_SECRET}"));
    let post = || {
        stage
            .http
            .post(stage.url(path))
            .header("authorization", format!("Basic {pair}"))
    };
    let form_body = post()
        .header("notion-version", OLD)
        .header("content-type", "application/x-www-form-urlencoded");
    let reply = stage.send(form_body.body(form(&grant))).await;
    assert_eq!(
        (reply.status, reply.json()["error"].clone()),
        (400, json!("invalid_request"))
    );
    let no_version = post().header("content-type", "application/json").body("{}");
    refused_without_header(&stage.send(no_version).await);
    let reply = stage
        .notion_oauth("token", &json!({"grant_type": "password"}))
        .await;
    assert_eq!(reply.json()["error"], "unsupported_grant_type");
    let reply = stage
        .notion_oauth("token", &json!({"grant_type": "refresh_token"}))
        .await;
    assert_eq!(reply.json()["error"], "invalid_request");
    let code = stage
        .notion_code(&[("user", ADA), ("scope", "all"), ("action", "allow")])
        .await;
    let elsewhere = json!({"grant_type": "authorization_code", "code": code, "redirect_uri": "https://other.example/"});
    assert_eq!(
        stage.notion_oauth("token", &elsewhere).await.json()["error"],
        "invalid_grant"
    );
}

#[track_caller]
fn refused_without_header(reply: &Reply) {
    assert_eq!(
        (reply.status, reply.json()["code"].clone()),
        (400, json!("missing_version"))
    );
}

#[tokio::test]
async fn refresh_tokens_work_once() {
    let stage = Stage::of(Sandbox::new().with_token_marker("CANARY42")).await;
    let first = stage.notion_tokens(ADA).await;
    let second = stage
        .notion_refresh(first["refresh_token"].as_str().unwrap())
        .await
        .ok();
    assert_ne!(first["refresh_token"], second["refresh_token"]);
    assert_ne!(first["access_token"], second["access_token"]);
    let token = access(&second);
    stage.cause(json!({ "kind": "expire_access_tokens", "user": ADA }));
    stage
        .notion_me(&token)
        .await
        .refused_by_notion(401, "unauthorized");
    let third = stage
        .notion_refresh(second["refresh_token"].as_str().unwrap())
        .await
        .ok();
    let token = access(&third);
    assert_eq!(stage.notion_me(&token).await.status, 200);
    // Using an old refresh token revokes all tokens that followed it.
    let reused = stage
        .notion_refresh(first["refresh_token"].as_str().unwrap())
        .await;
    assert_eq!(reused.json()["error"], "invalid_grant");
    stage
        .notion_me(&token)
        .await
        .refused_by_notion(401, "unauthorized");
    assert_eq!(stage.sandbox().token_requests_of("refresh_token"), 3);
    let log = stage.send(stage.http.get(stage.url("/sandbox/log"))).await;
    assert!(
        log.text
            .contains("\\\"grant_type\\\":\\\"refresh_token\\\""),
        "{}",
        log.text
    );
    assert!(!log.text.contains("CANARY42"));
}

#[tokio::test]
async fn grants_end_by_revocation_and_by_fault() {
    let stage = Stage::new().await;
    let tokens = stage.notion_tokens(ADA).await;
    let access = tokens["access_token"].as_str().unwrap();
    let active = json!({"token": access});
    assert_eq!(
        stage.notion_oauth("introspect", &active).await.ok()["active"],
        true
    );
    assert_eq!(
        stage
            .notion_oauth("revoke", &json!({"token": tokens["refresh_token"]}))
            .await
            .status,
        200
    );
    assert_eq!(
        stage.notion_oauth("introspect", &active).await.ok()["active"],
        false
    );
    assert_eq!(
        stage.notion_oauth("revoke", &active).await.json()["error"],
        "invalid_grant"
    );
    let grace = stage.notion_tokens(GRACE).await;
    stage.sandbox().fault(Fault::Revoke { user: None });
    let reply = stage
        .notion_refresh(grace["refresh_token"].as_str().unwrap())
        .await;
    assert_eq!(reply.json()["error"], "invalid_grant");
    stage
        .cause(json!({ "kind": "token_error", "error": "temporarily_unavailable", "status": 503 }));
    let reply = stage.notion_refresh("x").await;
    assert_eq!(
        (reply.status, reply.json()["error"].clone()),
        (503, json!("temporarily_unavailable"))
    );
}
