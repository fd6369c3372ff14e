//! Expired, revoked and rejected tokens, and what the application notices.

use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::json;
use stead_sandbox::{Fault, RotationMode};

use crate::{
    browser::Browser,
    products,
    stage::{ADA, Stage},
};

fn refreshes(stage: &Stage) -> usize {
    stage.sandbox.sandbox.token_requests_of("refresh_token")
}

#[tokio::test]
async fn an_expired_token_is_refreshed_silently() {
    let stage = Stage::connected().await;
    stage.clock.advance(SignedDuration::from_hours(2));
    stage.fault(Fault::Advance { seconds: 7200 });
    let bearer = stage.token().await;
    let reply = stage
        .http
        .get(
            &format!("{}/proxy/mail/user-1/v1/users/me/profile", stage.url),
            &bearer,
        )
        .await;
    assert_eq!(reply.json()["emailAddress"], ADA);
    assert_eq!(refreshes(&stage), 1);
}

#[tokio::test]
async fn a_refused_token_is_refreshed_once_and_the_call_continues() {
    let stage = Stage::connected().await;
    stage.fault(Fault::ExpireAccessTokens { user: None });
    let reply = stage.drafts("user-1").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(refreshes(&stage), 1);

    stage.clock.advance(SignedDuration::from_secs(61));
    stage.fault(Fault::Unauthorized { times: 5 });
    for _ in 0..3 {
        let reply = stage.drafts("user-1").await;
        assert_eq!(reply.kind(), "product_rejected_token");
    }
    assert_eq!(refreshes(&stage), 3, "a new token is replaced once");
    assert_eq!(stage.drafts("user-1").await.status, 200);
}

/// Two hundred callers find the token expired, and Stead sends one token request.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_calls_make_one_token_request() {
    for expire_at_product in [true, false] {
        let stage = Stage::connected().await;
        let actions = stage.platform.actions();
        if expire_at_product {
            stage.fault(Fault::ExpireAccessTokens { user: None });
        } else {
            stage.clock.advance(SignedDuration::from_hours(2));
        }
        let calls = (0..200).map(|_| {
            actions
                .execute_tool("mail_list_drafts", "mail", "user-1", json!({}))
                .into_future()
        });
        for result in join_all(calls).await {
            result.expect("every call succeeds");
        }
        assert_eq!(
            refreshes(&stage),
            1,
            "expired at the product: {expire_at_product}"
        );
    }
}

/// The same with both kinds of rotating refresh tokens.
#[tokio::test(flavor = "multi_thread")]
async fn rotating_tokens_survive_concurrent_callers() {
    for mode in [RotationMode::Rotating, RotationMode::Strict] {
        let stage = Stage::new().await;
        stage.fault(Fault::Rotation { mode });
        stage.connect("user-1", ADA).await;
        let actions = stage.platform.actions();
        for round in 1..=3 {
            stage.clock.advance(SignedDuration::from_secs(61));
            stage.fault(Fault::ExpireAccessTokens { user: None });
            let calls = (0..20).map(|_| {
                actions
                    .execute_tool("mail_list_drafts", "mail", "user-1", json!({}))
                    .into_future()
            });
            for result in join_all(calls).await {
                result.expect("every call succeeds");
            }
            assert_eq!(refreshes(&stage), round);
        }
    }
}

#[tokio::test]
async fn a_revoked_account_names_the_actor_and_a_new_link_fixes_it() {
    let stage = Stage::connected().await;
    let before = stage.account("user-1").await;
    stage.fault(Fault::Revoke { user: None });

    let reply = stage.drafts("user-1").await;
    assert_eq!(reply.kind(), "authorization_required");
    assert_eq!(reply.json()["act_by"], "end_user");
    assert_eq!(reply.json()["context"]["reason"], "refresh_rejected");
    assert_eq!(stage.state("user-1").await, "needs_reauthorization");
    let asked = refreshes(&stage);
    assert_eq!(
        stage.drafts("user-1").await.kind(),
        "authorization_required"
    );
    assert_eq!(
        refreshes(&stage),
        asked,
        "a dead credential is not presented again"
    );

    stage.connect("user-1", ADA).await;
    assert_eq!(stage.account("user-1").await["id"], before["id"]);
    assert_eq!(stage.drafts("user-1").await.status, 200);
}

#[tokio::test]
async fn a_token_endpoint_that_fails_for_a_while_kills_no_account() {
    let stage = Stage::connected().await;
    stage.clock.advance(SignedDuration::from_hours(2));
    let bearer = stage.token().await;
    let url = format!("{}/proxy/mail/user-1/v1/users/me/profile", stage.url);
    stage
        .cause(json!({ "kind": "token_error", "error": "temporarily_unavailable", "status": 503 }));
    let reply = stage.http.get(&url, &bearer).await;
    assert_eq!(reply.kind(), "refresh_unavailable");
    assert!(!reply.header("retry-after").is_empty());
    assert_eq!(
        stage.http.get(&url, &bearer).await.kind(),
        "refresh_unavailable"
    );
    assert_eq!(refreshes(&stage), 1, "it is not asked again at once");

    stage.clock.advance(SignedDuration::from_secs(10));
    assert_eq!(stage.http.get(&url, &bearer).await.status, 200);
    assert_eq!(
        stage
            .http
            .get(&format!("{}/v1/accounts/mail/user-1", stage.url), &bearer)
            .await
            .json()["health"],
        "ok"
    );
}

#[tokio::test]
async fn a_wrong_client_secret_is_for_the_developer_to_fix() {
    let stage = Stage::connected().await;
    let change = json!({ "client_secret": "another" });
    let patched = stage.patch("/v1/connections/mail", &change).await;
    assert_eq!(patched.status, 200);
    stage.fault(Fault::ExpireAccessTokens { user: None });
    let reply = stage.drafts("user-1").await;
    assert_eq!(reply.kind(), "connection_credentials_rejected");
    assert_eq!(reply.json()["act_by"], "app_developer");
    assert_eq!(
        stage.state("user-1").await,
        "active",
        "the user need not act"
    );
    assert_eq!(
        stage.get("/v1/connections/mail").await.json()["health"],
        "client_rejected"
    );
}

/// If a caller disconnects during a token request, it loses its response, but Stead keeps the tokens.
#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_survives_a_caller_that_disconnects() {
    let stage = Stage::new().await;
    let sandbox = &stage.sandbox.sandbox;
    sandbox.fault(Fault::Rotation {
        mode: RotationMode::Strict,
    });
    stage.connect("user-1", ADA).await;
    sandbox.fault(Fault::ExpireAccessTokens { user: None });
    sandbox.fault(Fault::HoldTokenRequests);
    let actions = stage.platform.actions();
    let caller = tokio::spawn(async move {
        actions
            .execute_tool("mail_list_drafts", "mail", "user-1", json!({}))
            .await
    });
    while refreshes(&stage) == 0 {
        tokio::task::yield_now().await;
    }
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    sandbox.fault(Fault::ReleaseTokenRequests);
    let reply = stage.drafts("user-1").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(refreshes(&stage), 1);
}

#[tokio::test]
async fn another_account_of_the_product_does_not_replace_the_first() {
    let stage = Stage::connected().await;
    let link = stage.link("user-1").await;
    let done = Browser::new()
        .connect(&stage, &link, crate::stage::GRACE)
        .await;
    assert_eq!(done.status, 409, "{}", done.text());
    let account = stage.account("user-1").await;
    assert_eq!(
        (account["state"].as_str(), account["product_user"].as_str()),
        (Some("active"), Some(ADA))
    );
    assert_eq!(stage.drafts("user-1").await.status, 200);
}

/// Stead requests single-use refresh tokens from Snowflake, so an account in use outlives their 90 days.
#[tokio::test]
async fn a_snowflake_account_that_is_used_outlives_its_refresh_token() {
    const DAY: u32 = 24 * 3600;
    let mut stage = Stage::new().await;
    products::connect(&stage, "warehouse").await;
    let path = "/v1/accounts/warehouse/user-1";
    let by = async |stage: &Stage| {
        let account = stage.get(path).await.json();
        assert_eq!(account["state"], "active", "{account}");
        account["reauthorize_by"].as_str().unwrap().to_owned()
    };
    let mut before = by(&stage).await;
    for _ in 0..4 {
        stage.clock.advance(SignedDuration::from_hours(24 * 30));
        stage.fault(Fault::Advance { seconds: 30 * DAY });
        stage.bearer = stage.token().await;
        let refreshed = stage.post(&format!("{path}/refresh"), &json!({})).await;
        assert_eq!(refreshed.status, 200, "{}", refreshed.text());
        let after = by(&stage).await;
        assert!(after > before, "{after} is later than {before}");
        before = after;
    }
}
