//! The pages of policies.

use http::{StatusCode, header};
use stead_core::resource::{DeleteMcpSession, NewMcpSession, Role};

use crate::{
    dashboard::{session::browse_as, tests::Browser},
    testing::TestService,
};

const LIST: &str = "/dashboard/policies";

#[tokio::test]
async fn a_policy_is_made_read_changed_tested_and_deleted() {
    let browser = Browser::new(TestService::new().await);
    browser.get(LIST).await.assert_contains("No policies");
    let document = r#"{"name": "agents", "tools": {"deny": ["mail_fetch_*"]}, "facts": [{"product": "mail", "kind": "recipient", "allow": ["*@example.com"]}], "requires_approval": {"effects": ["write"]}}"#;
    let made = browser.act(LIST, &[("document", document)]).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text());
    assert!(
        made.header("location")
            .ends_with("/policies/agents?done=policy-set")
    );
    let own = "/dashboard/policies/agents";
    let page = browser.get(own).await;
    page.assert_contains("These tools are denied: mail_fetch_*.");
    page.assert_contains("A person must approve requests that write.");
    page.assert_contains(
        "Only requests with these values for recipient of mail are allowed: *@example.com.",
    );
    browser.get(LIST).await.assert_contains("mail_fetch_*");
    // Creating a second policy with the same name doesn't replace the first.
    let twice = browser.act(LIST, &[("document", document)]).await;
    assert_eq!(twice.status, StatusCode::UNPROCESSABLE_ENTITY);

    let explain = format!("{own}/test");
    let refused = browser.act(&explain, &[("tool", "mail_fetch_mails")]).await;
    assert_eq!(refused.status, StatusCode::OK, "{}", refused.text());
    refused.assert_contains("<code>&#x2f;tools&#x2f;deny&#x2f;0</code>");
    let path = "/gmail/v1/users/me/labels";
    let raw = [
        ("product", "mail"),
        ("method", "POST"),
        ("path", path),
        ("body", "{}"),
    ];
    browser
        .act(&explain, &raw)
        .await
        .assert_contains("needs approval");
    let wrong = browser
        .act(&explain, &[("tool", "mail_fetch_mails"), ("input", "{")])
        .await;
    assert!(wrong.status.is_client_error());
    wrong.assert_contains("this isn’t valid JSON");

    for (document, place) in [
        (
            r#"{"tools": {"deny": ["nail_*"]}}"#,
            "&#x2f;tools&#x2f;deny&#x2f;0",
        ),
        (
            r#"{"facts": [{"product": "mail", "kind": "colour", "deny": ["x"]}]}"#,
            "&#x2f;facts&#x2f;0&#x2f;kind",
        ),
        (r#"{"name": "other"}"#, "&#x2f;name"),
        (r#"{"rules": "<b>"}"#, "rules"),
        ("{", "complete; it ends"),
    ] {
        let refused = browser.act(own, &[("document", document)]).await;
        assert_eq!(
            refused.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{document}"
        );
        refused.assert_contains(place);
    }
    let changed = browser
        .act(own, &[("document", r#"{"read_only": true}"#)])
        .await;
    assert_eq!(changed.status, StatusCode::SEE_OTHER);
    browser
        .get(own)
        .await
        .assert_contains("Only read requests are allowed.");

    // An MCP session that uses the policy keeps it from being deleted.
    let environment = browser.0.platform.environment();
    let mut new = NewMcpSession::new("u1");
    new.policy = Some(String::from("agents"));
    let session = environment.send(new).await.unwrap();
    let delete = format!("{own}/delete");
    browser
        .get(&delete)
        .await
        .assert_contains("while an active credential");
    let used = browser.act(&delete, &[]).await;
    assert_eq!(used.status, StatusCode::CONFLICT, "{}", used.text());
    used.assert_contains("is used by the MCP session");
    let id = session.session.session_id.to_string();
    environment.send(DeleteMcpSession::new(&id)).await.unwrap();
    let deleted = browser.act(&delete, &[]).await;
    assert!(deleted.header("location").ends_with("done=policy-deleted"));
    assert_eq!(browser.get(own).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_viewer_reads_policies_and_a_credential_gets_one_by_its_form() {
    let service = TestService::new().await;
    let body = serde_json::json!({ "read_only": true });
    let set = service.call("PUT", "/v1/policies/quiet", Some(body)).await;
    assert!(set.status.is_success(), "{}", set.text());
    let page = browse_as(&service, Role::Viewer, "/dashboard/policies/quiet").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text());
    page.assert_contains("Only read requests are allowed.");
    assert!(!page.text().contains("Save policy"));

    let browser = Browser::new(service);
    let new = "/dashboard/settings/credentials";
    let form = browser.get(&format!("{new}/new")).await;
    form.assert_contains("<option value=\"quiet\">");
    let fields = [
        ("name", "agent"),
        ("scopes", "tools:execute"),
        ("policy", "quiet"),
    ];
    let made = browser.act(new, &fields).await;
    assert!(
        made.headers.get(header::LOCATION).is_none(),
        "the secret is shown once"
    );
    let agent = browser.0.credential("agent").await;
    assert_eq!(agent.policy.as_deref(), Some("quiet"));
    let change = format!("{new}/{}/change", agent.client_id);
    browser
        .get(&change)
        .await
        .assert_contains("<option value=\"quiet\" selected>");
    let fields = [
        ("name", "agent"),
        ("scopes", "tools:execute"),
        ("policy", ""),
    ];
    let changed = browser.act(&change, &fields).await;
    assert_eq!(changed.status, StatusCode::SEE_OTHER, "{}", changed.text());
    assert_eq!(browser.0.credential("agent").await.policy, None);
}
