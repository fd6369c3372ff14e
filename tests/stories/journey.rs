//! The main path: connection, link, consent, tools, proxy, disconnect. It runs over REST, through the client, and
//! embedded.

use serde_json::json;
use stead_sandbox::Fault;

use crate::{
    browser::Browser,
    stage::{ADA, GRACE, Stage},
};

#[tokio::test]
async fn over_rest() {
    let stage = Stage::connected().await;

    let drafts = stage.drafts("user-1").await;
    assert_eq!(drafts.status, 200, "{}", drafts.text());
    let drafts = drafts.json();
    assert_eq!(drafts["tool"], "mail_list_drafts");
    assert!(
        drafts["execution_id"]
            .as_str()
            .unwrap()
            .starts_with("exec_")
    );
    assert_eq!(drafts["data"]["drafts"].as_array().unwrap().len(), 2);

    for path in ["/v1/users/me/profile", "/gmail/v1/users/me/profile"] {
        let request = json!({ "connection_name": "mail", "identifier": "user-1", "path": path, "method": "GET" });
        let profile = stage.post("/v1/proxy", &request).await;
        assert_eq!(profile.json()["emailAddress"], ADA, "{path}");
        let profile = stage.get(&format!("/proxy/mail/user-1{path}")).await;
        assert_eq!(profile.json()["emailAddress"], ADA, "{path}");
        assert!(profile.header("stead-execution-id").starts_with("exec_"));
    }
    let contacts = stage
        .get("/proxy/mail/user-1/v1/people/me/connections?personFields=names")
        .await;
    assert!(
        contacts.json()["connections"].is_array(),
        "{}",
        contacts.text()
    );

    let ended = stage.delete("/v1/accounts/mail/user-1").await;
    assert_eq!(ended.json(), json!({ "revocation": "none" }));
    let gone = stage.drafts("user-1").await;
    assert_eq!(gone.kind(), "authorization_required");
    assert_eq!(stage.state("user-1").await, "disconnected");
}

#[tokio::test]
async fn two_users_see_their_own_mail() {
    let stage = Stage::new().await;
    stage.connect("a", ADA).await;
    stage.connect("g", GRACE).await;
    for (identifier, user) in [("a", ADA), ("g", GRACE)] {
        let profile = stage
            .get(&format!("/proxy/mail/{identifier}/v1/users/me/profile"))
            .await;
        assert_eq!(profile.json()["emailAddress"], user);
    }
}

#[tokio::test]
async fn temporary_errors_are_retried_and_others_are_returned() {
    let stage = Stage::connected().await;
    let sandbox = &stage.sandbox.sandbox;
    let error = |status, reason: &str, times| Fault::Error {
        host: None,
        path_contains: Some(String::from("drafts")),
        status,
        reason: reason.to_owned(),
        message: None,
        retry_after: Some(String::from("0")),
        times,
    };
    for (status, reason) in [
        (503, "backendError"),
        (429, "rateLimitExceeded"),
        (403, "userRateLimitExceeded"),
    ] {
        sandbox.fault(error(status, reason, 2));
        let reply = stage.drafts("user-1").await;
        assert_eq!(reply.status, 200, "{reason}: {}", reply.text());
    }
    for (status, reason, kind, times) in [
        (503, "backendError", "product_unavailable", 4),
        (429, "rateLimitExceeded", "product_rate_limited", 4),
        (403, "insufficientPermissions", "scope_missing", 1),
        (403, "accessNotConfigured", "product_not_enabled", 1),
        (404, "notFound", "product_not_found", 1),
        (400, "badRequest", "product_invalid_request", 1),
    ] {
        sandbox.fault(error(status, reason, times));
        let reply = stage.drafts("user-1").await;
        assert_eq!(reply.kind(), kind, "{}", reply.text());
        assert_eq!(reply.json()["upstream"]["status"], status);
        assert!(
            reply.json()["execution_id"]
                .as_str()
                .unwrap()
                .starts_with("exec_")
        );
    }
}

#[tokio::test]
async fn a_permission_that_was_not_granted_is_named_before_anything_is_sent() {
    let stage = Stage::new().await;
    let link = stage.link("user-1").await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let granted = ["openid", "https://www.googleapis.com/auth/gmail.readonly"];
    let back = stage.consent(&product, ADA, &granted);
    browser.visit(&back).await;
    let account = stage.account("user-1").await;
    assert_eq!(account["state"], "active");
    assert!(
        account["missing_scopes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|scope| scope.as_str().unwrap().ends_with("contacts.readonly"))
    );

    assert_eq!(stage.drafts("user-1").await.status, 200);
    let before = stage.received();
    let reply = stage
        .execute("mail_get_contacts", "user-1", json!({}))
        .await;
    assert_eq!(reply.kind(), "scope_missing");
    assert_eq!(reply.json()["act_by"], "end_user");
    assert!(reply.json()["required_scopes"].as_array().unwrap().len() > 1);
    assert_eq!(stage.received(), before);

    let tools = stage.get("/v1/tools?identifier=user-1").await.json();
    let readiness = |name: &str| {
        tools["items"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|tool| tool["name"] == name)
            .unwrap()["readiness"]
            .clone()
    };
    assert_eq!(readiness("mail_list_drafts"), "ready");
    assert_eq!(readiness("mail_get_contacts"), "needs_scope");
}
