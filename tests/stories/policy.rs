//! A policy lets an agent read mail, and lets a person approve the rest: over the service, with its own database file.

use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::{
    Client, ErrorKind, Stead,
    mail::ListDrafts,
    resource::{
        ApprovalDecision, ApprovalFilter, ApprovalState, NewAppCredential, Policy, PolicyOutcome,
        PolicyTest, ProxyRequest,
    },
};

use crate::stage::{ADA, Setting, Stage};

#[tokio::test]
async fn through_the_platform() {
    let stage = Stage::set(Setting::default()).await;
    story(&stage, &stage.platform.clone().into()).await;
}

#[tokio::test]
async fn through_the_client() {
    let stage = Stage::set(Setting::default()).await;
    let owner = Client::new(&stage.url, &stage.client_id, stage.client_secret.as_str());
    story(&stage, &owner.unwrap().into()).await;
}

async fn story(stage: &Stage, owner: &Stead) {
    stage.connect("u1", ADA).await;
    let policies = owner.policies();
    let policy: Policy = serde_json::from_value(json!({
        "name": "agents", "tools": { "deny": ["mail_get_contacts"] },
        "requires_approval": { "effects": ["write", "delete"] },
    }))
    .unwrap();
    assert!(policies.set(policy).await.unwrap().updated_at.is_some());
    let mut new = NewAppCredential::new("agent");
    new.policy = Some(String::from("agents"));
    let issued = owner.app_credentials().create(new).await.unwrap();
    let secret = issued.client_secret.expose_secret();
    let agent = Client::new(&stage.url, &issued.credential.client_id, secret).unwrap();

    let ada = agent.account("mail", "u1").unwrap();
    ada.call(&ListDrafts::default()).await.unwrap();
    let refused = ada
        .execute("mail_get_contacts", json!({}))
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Forbidden);
    assert_eq!(refused.context()["rule"], "/tools/deny/0");

    // The agent moves a mail to the trash, once a person has approved that.
    let trash = || {
        let path = "/gmail/v1/users/me/messages/none/trash";
        agent
            .actions()
            .request(ProxyRequest::new("mail", "u1", "POST", path))
    };
    let asked = trash().await.unwrap_err();
    assert_eq!(asked.kind(), ErrorKind::ApprovalRequired);
    let id = asked.context()["approval_id"].as_str().unwrap();
    let waiting = ApprovalFilter::in_state(ApprovalState::Pending);
    let waiting = owner.approvals().list(waiting).all().await.unwrap();
    assert_eq!(waiting[0].approval_id.to_string(), id);
    let approval = owner.approvals().read(id).await.unwrap();
    let arguments = approval.arguments.unwrap();
    assert_eq!(arguments["requests"][0]["method"], "POST");
    let own = agent
        .approvals()
        .approve(id, ApprovalDecision::default())
        .await;
    assert_eq!(own.unwrap_err().kind(), ErrorKind::InsufficientScope);
    let decision = ApprovalDecision::because("the user asked for it");
    let approved = owner.approvals().approve(id, decision).await.unwrap();
    assert_eq!(approved.state, ApprovalState::Approved);
    // The product has its own response: it was sent.
    assert!(trash().await.is_ok());
    let again = trash().await.unwrap_err();
    assert_ne!(again.context()["approval_id"].as_str().unwrap(), id);
    let denied = again.context()["approval_id"].as_str().unwrap();
    let decision = ApprovalDecision::default();
    owner.approvals().deny(denied, decision).await.unwrap();

    let mut test = PolicyTest::default();
    test.policies = vec![String::from("agents")];
    test.tool = Some(String::from("mail_get_contacts"));
    test.input = json!({});
    let decided = policies.test(test).await.unwrap();
    assert_eq!(decided.outcome, PolicyOutcome::Refused);
    let used = policies.delete("agents").await.unwrap_err();
    assert_eq!(used.kind(), ErrorKind::InvalidTransition);
    let id = &issued.credential.client_id;
    owner.app_credentials().revoke(id).await.unwrap();
    policies.delete("agents").await.unwrap();
    assert!(policies.list().await.unwrap().is_empty());
    let gone = policies.read("agents").await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}
