//! The token and revocation endpoints.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use serde_json::Value;
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Fault, RotationMode, Sandbox};

use crate::client::{CHALLENGE, CONTACTS, GMAIL_READ, REDIRECT, Reply, Stage, VERIFIER, form};

const ADA: &str = "ada@example.com";

#[track_caller]
fn refused(reply: &Reply, status: u16, error: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert_eq!(reply.json()["error"], error, "{}", reply.text);
}

#[tokio::test]
async fn a_code_becomes_tokens_once() {
    let stage = Stage::new().await;
    let asked = [("scope", GMAIL_READ), ("access_type", "offline")];
    let code = stage.code(ADA, &asked).await;
    let reply = stage.exchange(&code).await;
    assert_eq!(
        reply.header("cache-control").split(", ").nth(1),
        Some("no-store")
    );
    let tokens = reply.ok();
    assert_eq!(tokens["expires_in"], 3599);
    assert_eq!(tokens["token_type"], "Bearer");
    assert_eq!(tokens["scope"], GMAIL_READ);
    assert_eq!(tokens.get("id_token"), None);
    let access = tokens["access_token"].as_str().unwrap();
    assert!(access.starts_with("ya29.sandbox-"));
    assert!(
        tokens["refresh_token"]
            .as_str()
            .unwrap()
            .starts_with("1//sandbox-")
    );
    assert_eq!(stage.mail("profile", access).await.status, 200);
    // The second use is rejected and revokes the tokens from the first one.
    refused(&stage.exchange(&code).await, 400, "invalid_grant");
    assert_eq!(stage.mail("profile", access).await.status, 401);
}

#[tokio::test]
async fn the_first_or_a_forced_consent_returns_a_refresh_token() {
    let stage = Stage::new().await;
    let scope = ("scope", GMAIL_READ);
    let offline = ("access_type", "offline");
    for (asked, comes) in [
        (vec![scope, offline], true),
        (vec![scope, offline], false),
        (vec![scope, offline, ("prompt", "consent")], true),
        (vec![scope, ("prompt", "consent")], false),
    ] {
        let code = stage.code(ADA, &asked).await;
        let tokens = stage.exchange(&code).await.ok();
        assert_eq!(tokens.get("refresh_token").is_some(), comes, "{asked:?}");
    }
}

#[tokio::test]
async fn a_code_is_bound_to_its_address_and_ages() {
    let stage = Stage::new().await;
    let code = stage.code(ADA, &[("scope", GMAIL_READ)]).await;
    let elsewhere = format!("{REDIRECT}/");
    let elsewhere = [("redirect_uri", elsewhere.as_str())];
    let reply = stage.exchange_with(&code, &elsewhere).await;
    refused(&reply, 400, "invalid_grant");
    let code = stage.code(ADA, &[("scope", GMAIL_READ)]).await;
    stage.sandbox().fault(Fault::Advance { seconds: 600 });
    refused(&stage.exchange(&code).await, 400, "invalid_grant");
    refused(&stage.exchange("4/0made-up").await, 400, "invalid_grant");
}

#[tokio::test]
async fn the_verifier_must_fit_the_challenge() {
    let stage = Stage::new().await;
    let scope = ("scope", GMAIL_READ);
    let with = [
        scope,
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ];
    let wrong = "x".repeat(43);
    for (asked, verifier, status) in [
        (&with[..], Some(VERIFIER), 200),
        (&with[..], Some(wrong.as_str()), 400),
        (&with[..], None, 400),
        (&with[..1], Some(VERIFIER), 400),
        (&with[..1], None, 200),
        (&with[..], Some("short"), 400),
    ] {
        let code = stage.code(ADA, asked).await;
        let pair = verifier.map(|verifier| ("code_verifier", verifier));
        let reply = stage.exchange_with(&code, pair.as_slice()).await;
        assert_eq!(
            reply.status, status,
            "{asked:?} {verifier:?} {}",
            reply.text
        );
    }
}

#[tokio::test]
async fn the_client_must_authenticate_in_one_way() {
    let stage = Stage::new().await;
    let tokens = stage.tokens(ADA, &[GMAIL_READ]).await;
    let grant = [
        ("grant_type", "refresh_token"),
        ("refresh_token", tokens.refresh.as_str()),
    ];
    let id = ("client_id", CLIENT_ID);
    let with = |more: &[(&'static str, &'static str)]| [&grant[..], more].concat();
    refused(&stage.token(&with(&[id])).await, 400, "invalid_request");
    let wrong = with(&[id, ("client_secret", "wrong")]);
    refused(&stage.token(&wrong).await, 401, "invalid_client");
    let unknown = with(&[("client_id", "nobody"), ("client_secret", "x")]);
    refused(&stage.token(&unknown).await, 401, "invalid_client");

    let basic =
        |secret: &str| format!("Basic {}", STANDARD.encode(format!("{CLIENT_ID}:{secret}")));
    let post = |header: String, pairs: Vec<(&str, &str)>| {
        stage
            .http
            .post(stage.url("/oauth2.googleapis.com/token"))
            .header("authorization", header)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form(&pairs))
    };
    let reply = stage.send(post(basic(CLIENT_SECRET), grant.to_vec())).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let reply = stage.send(post(basic("wrong"), grant.to_vec())).await;
    refused(&reply, 401, "invalid_client");
    assert!(reply.header("www-authenticate").starts_with("Basic"));
    let both = with(&[id, ("client_secret", CLIENT_SECRET)]);
    let reply = stage.send(post(basic(CLIENT_SECRET), both)).await;
    refused(&reply, 400, "invalid_request");
}

#[tokio::test]
async fn malformed_token_requests_are_refused() {
    let stage = Stage::new().await;
    let client = [("client_id", CLIENT_ID), ("client_secret", CLIENT_SECRET)];
    let with = |more: &[(&'static str, &'static str)]| [&client[..], more].concat();
    refused(&stage.token(&with(&[])).await, 400, "invalid_request");
    let password = with(&[("grant_type", "password")]);
    refused(&stage.token(&password).await, 400, "unsupported_grant_type");
    let twice = with(&[
        ("grant_type", "refresh_token"),
        ("grant_type", "refresh_token"),
    ]);
    refused(&stage.token(&twice).await, 400, "invalid_request");
    let url = stage.url("/oauth2.googleapis.com/token");
    let json = stage
        .http
        .post(&url)
        .header("content-type", "application/json")
        .body("{}");
    refused(&stage.send(json).await, 400, "invalid_request");
    assert_eq!(stage.send(stage.http.get(&url)).await.status, 405);
    assert_eq!(stage.sandbox().token_requests(), 4);
}

#[tokio::test]
async fn refreshing_gives_a_new_access_token() {
    let stage = Stage::new().await;
    let tokens = stage.tokens(ADA, &[GMAIL_READ, CONTACTS]).await;
    let renewed = stage.refresh(&tokens.refresh).await.ok();
    let access = renewed["access_token"].as_str().unwrap();
    assert_ne!(access, tokens.access);
    assert_eq!(renewed.get("refresh_token"), None);
    assert_eq!(renewed["scope"], tokens.response["scope"]);
    assert_eq!(stage.mail("profile", access).await.status, 200);
    // The earlier access token remains valid until it expires.
    assert_eq!(stage.mail("profile", &tokens.access).await.status, 200);
    assert_eq!(stage.sandbox().token_requests_of("refresh_token"), 1);
    assert_eq!(stage.sandbox().token_requests(), 2);
    refused(&stage.refresh("1//made-up").await, 400, "invalid_grant");
}

#[tokio::test]
async fn refreshing_may_narrow_but_not_widen() {
    let stage = Stage::new().await;
    let tokens = stage.tokens(ADA, &[GMAIL_READ, CONTACTS]).await;
    let refresh = async |scope: &str| {
        let scope = [("scope", scope)];
        stage.refresh_with(&tokens.refresh, &scope).await
    };
    let narrow = refresh(CONTACTS).await.ok();
    assert_eq!(narrow["scope"], CONTACTS);
    let access = narrow["access_token"].as_str().unwrap();
    assert_eq!(stage.mail("profile", access).await.status, 403);
    refused(
        &refresh("https://mail.google.com/").await,
        400,
        "invalid_scope",
    );
    refused(&refresh("nonsense").await, 400, "invalid_scope");
}

#[tokio::test]
async fn rotating_tokens_die_and_a_reused_strict_token_kills_its_family() {
    let stage = Stage::new().await;
    let rotate = |mode| stage.sandbox().fault(Fault::Rotation { mode });
    let token = |reply: &Value, name: &str| reply[name].as_str().unwrap().to_owned();

    let first = stage.tokens(ADA, &[GMAIL_READ]).await;
    rotate(RotationMode::Rotating);
    let second = stage.refresh(&first.refresh).await.ok();
    refused(&stage.refresh(&first.refresh).await, 400, "invalid_grant");
    let third = stage.refresh(&token(&second, "refresh_token")).await.ok();

    rotate(RotationMode::Strict);
    let fourth = stage.refresh(&token(&third, "refresh_token")).await.ok();
    let access = token(&fourth, "access_token");
    assert_eq!(stage.mail("profile", &access).await.status, 200);
    refused(&stage.refresh(&first.refresh).await, 400, "invalid_grant");
    assert_eq!(stage.mail("profile", &access).await.status, 401);
    let last = token(&fourth, "refresh_token");
    refused(&stage.refresh(&last).await, 400, "invalid_grant");
}

#[tokio::test]
async fn access_tokens_end_with_the_clock() {
    let stage = Stage::new().await;
    stage.sandbox().fault(Fault::TokenLifetime { seconds: 60 });
    let tokens = stage.tokens(ADA, &[GMAIL_READ]).await;
    assert_eq!(tokens.response["expires_in"], 60);
    stage.sandbox().fault(Fault::Advance { seconds: 59 });
    assert_eq!(stage.mail("profile", &tokens.access).await.status, 200);
    stage.sandbox().fault(Fault::Advance { seconds: 1 });
    assert_eq!(stage.mail("profile", &tokens.access).await.status, 401);
    assert_eq!(stage.refresh(&tokens.refresh).await.status, 200);
}

#[tokio::test]
async fn revoking_reaches_all_clients_of_the_project() {
    let stage = Stage::new().await;
    stage
        .sandbox()
        .add_client("sandbox-second", "s2", &[REDIRECT]);
    stage
        .sandbox()
        .add_client("other-project", "s3", &[REDIRECT]);
    let first = stage.tokens(ADA, &[GMAIL_READ]).await;
    let grace = stage.tokens("grace@example.com", &[GMAIL_READ]).await;
    let mut access = Vec::new();
    for (client, secret) in [("sandbox-second", "s2"), ("other-project", "s3")] {
        let code = stage
            .code(ADA, &[("scope", GMAIL_READ), ("client_id", client)])
            .await;
        let pairs = [("client_id", client), ("client_secret", secret)];
        let reply = stage.exchange_with(&code, &pairs).await;
        access.push(reply.ok()["access_token"].as_str().unwrap().to_owned());
    }
    let revoke = async |token: &str| {
        stage
            .post_form("/oauth2.googleapis.com/revoke", &[("token", token)])
            .await
    };
    assert_eq!(revoke(&first.refresh).await.ok(), serde_json::json!({}));
    assert_eq!(stage.mail("profile", &first.access).await.status, 401);
    refused(&stage.refresh(&first.refresh).await, 400, "invalid_grant");
    assert_eq!(stage.mail("profile", &access[0]).await.status, 401);
    assert_eq!(stage.mail("profile", &access[1]).await.status, 200);
    assert_eq!(stage.mail("profile", &grace.access).await.status, 200);
    refused(&revoke(&first.refresh).await, 400, "invalid_token");
    refused(&revoke("made-up").await, 400, "invalid_token");
    // An access token can be revoked too.
    assert_eq!(revoke(&grace.access).await.status, 200);
    refused(&stage.refresh(&grace.refresh).await, 400, "invalid_grant");
}

#[tokio::test]
async fn a_client_that_proves_itself_revokes_its_own_tokens() {
    let stage = Stage::new().await;
    stage
        .sandbox()
        .add_client("sandbox-second", "s2", &[REDIRECT]);
    let tokens = stage.tokens(ADA, &[GMAIL_READ]).await;
    let revoke = async |client: &str, secret: &str| {
        let form = [
            ("token", tokens.refresh.as_str()),
            ("client_id", client),
            ("client_secret", secret),
        ];
        stage
            .post_form("/oauth2.googleapis.com/revoke", &form)
            .await
    };
    let wrong = revoke(CLIENT_ID, "wrong").await;
    refused(&wrong, 401, "invalid_client");
    let other = revoke("sandbox-second", "s2").await;
    refused(&other, 400, "invalid_token");
    assert_eq!(stage.refresh(&tokens.refresh).await.status, 200);
    assert_eq!(revoke(CLIENT_ID, CLIENT_SECRET).await.status, 200);
    refused(&stage.refresh(&tokens.refresh).await, 400, "invalid_grant");
}

#[tokio::test]
async fn granted_scopes_are_included_when_asked_for() {
    let stage = Stage::new().await;
    stage.tokens(ADA, &[GMAIL_READ]).await;
    for (merge, scope) in [
        ("false", CONTACTS.to_owned()),
        ("true", format!("{CONTACTS} {GMAIL_READ}")),
    ] {
        let asked = [("scope", CONTACTS), ("include_granted_scopes", merge)];
        let code = stage.code(ADA, &asked).await;
        assert_eq!(stage.exchange(&code).await.ok()["scope"], scope);
    }
}

#[tokio::test]
async fn claims_of_the_user() {
    let stage = Stage::new().await;
    let tokens = stage.tokens(ADA, &["openid", "email", "profile"]).await;
    let claims = tokens.response["id_token"].as_str().unwrap();
    let claims = URL_SAFE_NO_PAD
        .decode(claims.split('.').nth(1).unwrap())
        .unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!(claims["iss"], "https://accounts.google.com");
    assert_eq!(claims["aud"], CLIENT_ID);
    assert_eq!(claims["email"], ADA);
    let path = "/openidconnect.googleapis.com/v1/userinfo";
    let info = stage.get(path, &tokens.access).await.ok();
    assert_eq!(info["sub"], claims["sub"]);
    assert_eq!(info["email"], ADA);
    assert_eq!(info["name"], "Ada Lovelace");
    refused(&stage.get(path, "made-up").await, 401, "invalid_request");
    let mail = stage.ada().await;
    refused(&stage.get(path, &mail).await, 403, "insufficient_scope");
}

#[tokio::test]
async fn the_hundred_and_first_refresh_token_silently_revokes_the_first() {
    let stage = Stage::new().await;
    let first = stage.tokens(ADA, &[GMAIL_READ]).await;
    let second = stage.tokens(ADA, &[GMAIL_READ]).await;
    for _ in 0..99 {
        stage.tokens(ADA, &[GMAIL_READ]).await;
    }
    refused(&stage.refresh(&first.refresh).await, 400, "invalid_grant");
    assert_eq!(stage.refresh(&second.refresh).await.status, 200);
}

#[tokio::test]
async fn a_marker_is_in_every_secret_and_never_in_the_log() {
    let stage = Stage::of(Sandbox::new().with_token_marker("CANARY42")).await;
    let code = stage
        .code(ADA, &[("scope", GMAIL_READ), ("access_type", "offline")])
        .await;
    assert!(code.contains("CANARY42"));
    let response = stage.exchange(&code).await.ok();
    let access = response["access_token"].as_str().unwrap();
    let refresh = response["refresh_token"].as_str().unwrap();
    assert!(access.contains("CANARY42") && refresh.contains("CANARY42"));
    stage
        .mail(&format!("profile?access_token={access}"), access)
        .await;
    stage.refresh(refresh).await;
    let log = stage.send(stage.http.get(stage.url("/sandbox/log"))).await;
    assert!(log.text.contains("grant_type=refresh_token"));
    assert!(!log.text.contains("CANARY42") && !log.text.contains(CLIENT_SECRET));
}
