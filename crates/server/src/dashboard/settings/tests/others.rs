//! Webhooks, keys, the audit log, and who sees which section.

use http::StatusCode;
use serde_json::json;
use stead_core::{
    api::Paging,
    resource::{
        ActivateKey, ChangeMember, ExpectedAudit, KeyActivation, KeyCount, ListKeys, ListMembers,
        ListWebhooks, MemberChange, Role, VerifyAudit,
    },
};

use super::{AS_TEXT, Browser, CREDENTIALS, KEYS, MARKUP, MEMBERS, WEBHOOKS, between, plain};
use crate::testing::{TestService, json_response};

#[tokio::test]
async fn a_webhook_is_made_tested_paused_replayed_and_deleted() {
    let service = TestService::with_products(|_| {
        let mut response = json_response(&json!(MARKUP));
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        response
    })
    .await;
    let browser = Browser::of(&service, Role::Operator).await;
    let fields = [
        ("url", "https://app.example.com/hooks?a=<i>"),
        ("groups", "account.*"),
        ("types", "connection.created, connection.deleted"),
        ("description", MARKUP),
    ];
    let made = browser.post(WEBHOOKS, &fields).await;
    let secret = between(&made, "data-copy=\"whsec_", "\"");
    let environment = service.platform.environment();
    let webhook = environment
        .send(ListWebhooks::new().page(Paging::new(None, 50)))
        .await
        .unwrap()
        .items
        .remove(0);
    assert_eq!(
        webhook.events,
        ["account.*", "connection.created", "connection.deleted"]
    );
    let own = format!("{WEBHOOKS}/{}", webhook.id);
    let tested = browser
        .done(&format!("{own}/test"), &[], "Test event sent")
        .await;
    tested.assert_contains("webhook.test");
    tested.assert_contains("status 503");
    for (path, shows) in [
        (WEBHOOKS.to_owned(), AS_TEXT),
        (own.clone(), AS_TEXT),
        (format!("{own}?state=failed"), "webhook.test"),
        (
            format!("{own}?state=waiting"),
            "No deliveries here match the filter",
        ),
        (format!("{own}/change"), "value=\"account.*\" checked"),
    ] {
        let page = browser.get(&path).await;
        page.assert_contains(shows);
        assert!(!page.text().contains("<i>"), "{path}");
        assert!(!page.text().contains(&secret), "{path}");
    }
    let change = [("url", "https://app.example.com/other")];
    let page = browser
        .done(&format!("{own}/change"), &change, "Webhook changed")
        .await;
    page.assert_contains("<dt>Events</dt><dd>all</dd>");
    let page = browser
        .done(&format!("{own}/pause"), &[], "Deliveries are paused")
        .await;
    page.assert_contains("Resume");
    browser
        .done(&format!("{own}/resume"), &[], "Deliveries resumed")
        .await;
    let replay = format!("{own}/replay");
    let refused = browser.post(&replay, &[("since", "soon")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("Enter a date and a time");
    let since = [("since", "2026-01-01T00:00")];
    browser
        .done(&replay, &since, "Stead sends the events again")
        .await;
    let rotated = browser.post(&format!("{own}/rotate-secret"), &[]).await;
    assert_ne!(between(&rotated, "data-copy=\"whsec_", "\""), secret);
    browser
        .done(&format!("{own}/delete"), &[], "Webhook deleted")
        .await;
    browser
        .get(WEBHOOKS)
        .await
        .assert_contains("No webhooks yet");
}

#[tokio::test]
async fn a_data_key_is_replaced_step_by_step() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let environment = service.platform.environment();
    let browser = Browser::of(&service, Role::Owner).await;
    let page = browser.get(KEYS).await;
    page.assert_contains("Add a data key");
    assert!(!page.text().contains("Destroy previous key"));
    let page = browser.done(KEYS, &[], "Data key added").await;
    page.assert_contains("You can activate it from");
    let added = environment
        .send(ListKeys::new().count(KeyCount::rows(false)))
        .await
        .unwrap()
        .data_keys
        .remove(1);
    let activate = format!("{KEYS}/{}/activate", added.key_id);
    let early = browser.post(&activate, &[]).await;
    assert_eq!(early.status, StatusCode::CONFLICT);
    early.assert_contains("when every process has read it");
    environment
        .send(ActivateKey::new(
            &added.key_id,
            KeyActivation::default().at_once(true),
        ))
        .await
        .unwrap();
    let page = browser.get(&format!("{KEYS}?count_rows=true")).await;
    page.assert_contains("Destroy previous key");
    let first = environment
        .send(ListKeys::new().count(KeyCount::rows(false)))
        .await
        .unwrap()
        .data_keys
        .remove(0);
    let retire = format!("{KEYS}/{}/retire", first.key_id);
    let early = browser.post(&retire, &[]).await;
    assert_eq!(early.status, StatusCode::CONFLICT);
    early.assert_contains("rows are still encrypted with it");
    let reencrypt = format!("{KEYS}/reencrypt");
    browser.done(&reencrypt, &[], "Re-encryption started").await;
    while environment
        .send(ListKeys::new().count(KeyCount::rows(false)))
        .await
        .unwrap()
        .reencryption
        .unwrap()
        .running
    {
        tokio::task::yield_now().await;
    }
    browser.get(KEYS).await.assert_contains("None left");
    let page = browser.done(&retire, &[], "Data key destroyed").await;
    page.assert_contains("Destroyed");
    browser
        .done(&format!("{KEYS}/rewrap"), &[], "wrapped by the first key")
        .await;
}

#[tokio::test]
async fn the_audit_log_is_filtered_and_verified() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let owner = Browser::of(&service, Role::Owner).await;
    let viewer = Browser::of(&service, Role::Viewer).await;
    let audit = "/dashboard/settings/audit";
    let page = viewer.get(audit).await;
    page.assert_contains("connection.created");
    page.assert_contains("member.invited");
    // A viewer knows members by their ids only.
    assert!(!page.text().contains("owner@example.com"));
    owner.get(audit).await.assert_contains("owner@example.com");
    let page = viewer.get(&format!("{audit}?action=connection.*")).await;
    page.assert_contains("connection name: mail");
    let changed = owner
        .post(CREDENTIALS, &[("name", "x"), ("scopes", "events:read")])
        .await;
    let id = changed.header("stead-request-id");
    let page = viewer
        .get(&format!("{audit}?action=app_credential.*"))
        .await;
    page.assert_contains(&format!("title=\"{id}\""));
    assert!(!page.text().contains("member.invited"));
    let page = viewer.get(&format!("{audit}?actor=%22%3E%3Ci%3E")).await;
    page.assert_contains("No entries match the filter.");
    assert!(!page.text().contains("<i>"));

    let verify = format!("{audit}/verify");
    assert!(!viewer.get(&verify).await.text().contains("verified"));
    let verified = viewer.get(&format!("{verify}?run=true")).await;
    verified.assert_contains("entries verified.");
    let found = service
        .platform
        .environment()
        .send(VerifyAudit::new().expected(ExpectedAudit::new(None)))
        .await
        .unwrap();
    let head = found.head.unwrap();
    verified.assert_contains(&head.to_string());
    let again = viewer
        .get(&format!("{verify}?run=true&expect={head}"))
        .await;
    again.assert_contains("is still there");
    let cut = format!("{}:{}", head.number + 1, "0".repeat(64));
    let cut = viewer.get(&format!("{verify}?run=true&expect={cut}")).await;
    cut.assert_contains("so its end was removed");
    let wrong = viewer.get(&format!("{verify}?run=true&expect=x")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("NUMBER:HASH");
}

#[tokio::test]
async fn members_see_only_the_sections_of_their_role() {
    let service = TestService::new().await;
    for (role, seen, hidden) in [
        (
            Role::Viewer,
            &["/audit\"", "/appearance\"", "/storage\""][..],
            &["/webhooks\"", "/members\""][..],
        ),
        (
            Role::Operator,
            &["/webhooks\"", "/audit\""],
            &["/credentials\"", "/keys\"", "/members\""],
        ),
        (
            Role::Owner,
            &["/credentials\"", "/keys\"", "/members\"", "/webhooks\""],
            &[],
        ),
    ] {
        let browser = Browser::of(&service, role).await;
        for path in ["/dashboard/settings", "/dashboard/settings/audit"] {
            let text = plain(browser.get(path).await.text());
            for part in seen {
                assert!(
                    text.contains(&format!("settings{part}")),
                    "{role:?} {path} {part}"
                );
            }
            for part in hidden {
                assert!(
                    !text.contains(&format!("settings{part}")),
                    "{role:?} {path} {part}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_disabled_member_loses_the_page() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let owner = Browser::of(&service, Role::Owner).await;
    let operator = Browser::of(&service, Role::Operator).await;
    let members = environment
        .send(ListMembers::new().page(Paging::new(None, 50)))
        .await
        .unwrap()
        .items;
    let one = members
        .iter()
        .find(|one| one.role == Role::Operator)
        .unwrap();
    let change = MemberChange::default().role(Role::Viewer);
    environment
        .send(ChangeMember::new(one.member_id.to_string(), change))
        .await
        .unwrap();
    assert_eq!(operator.get(WEBHOOKS).await.status, StatusCode::FORBIDDEN);
    let own = format!("{MEMBERS}/{}", one.member_id);
    owner
        .done(&format!("{own}/disable"), &[], "Member disabled")
        .await;
    let gone = operator.get("/dashboard/settings").await;
    assert_eq!(gone.status, StatusCode::SEE_OTHER);
}
