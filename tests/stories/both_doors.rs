//! The platform and the HTTP client have the same operations. One story runs through each of them.

use serde_json::{Value, json};
use stead::{
    ConnectionChange, ErrorKind, ExportFormat, NewConnection, Stead,
    mail::{FetchMails, ListDrafts},
};
use stead_core::{
    environment::Verification,
    resource::{AccountState, ConnectionState, Plan, ProxyRequest, Readiness, Revocation},
    tool::Effect,
};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET};

use crate::{
    browser::Browser,
    stage::{ADA, Setting, Stage},
};

async fn stage() -> Stage {
    Stage::set(Setting {
        verification: Verification::Application,
        ..Setting::default()
    })
    .await
}

#[tokio::test]
async fn through_the_platform() {
    let stage = stage().await;
    story(&stage, &stage.platform.clone().into()).await;
}

#[tokio::test]
async fn through_the_client() {
    let stage = stage().await;
    story(&stage, &stage.client().into()).await;
}

async fn story(stage: &Stage, stead: &Stead) {
    connections(stead).await;
    connect(stage, stead).await;
    calls(stage, stead).await;
    tools(stead).await;
    accounts(stead).await;
    ends(stage, stead).await;
}

/// The connection `post`, next to the stage's own `mail`.
async fn connections(stead: &Stead) {
    let connections = stead.connections();
    let draft = connections.create(NewConnection::mail("post")).await;
    assert_eq!(draft.unwrap().state, ConnectionState::Draft);
    let again = connections.create(NewConnection::mail("post")).await;
    assert_eq!(again.unwrap_err().kind(), ErrorKind::AlreadyExists);

    let given = NewConnection::mail("post").client(CLIENT_ID, CLIENT_SECRET);
    let ready = connections.ensure(given.clone()).await.unwrap();
    assert_eq!(ready.state, ConnectionState::Ready);
    assert!(ready.redirect_uri.contains(&ready.id.to_string()));
    // Applications call this at every start. If nothing differs, nothing changes, not even the time
    // of the last change.
    assert_eq!(connections.ensure(given).await.unwrap(), ready);
    assert_eq!(connections.read("post").await.unwrap(), ready);
    let other = connections.ensure(NewConnection::calendar("post")).await;
    assert_eq!(other.unwrap_err().kind(), ErrorKind::WrongProduct);

    let off = ConnectionChange::default().disabled(true);
    let off = connections.change("post", off).await.unwrap();
    assert_eq!(off.state, ConnectionState::Disabled);
    let on = ConnectionChange::default().disabled(false);
    connections.change("post", on).await.unwrap();

    let first = connections.list().page_size(1).await.unwrap();
    assert_eq!(first.items[0].connection_name.as_str(), "mail");
    let next = connections
        .list()
        .page_token(first.next_page_token.unwrap());
    assert_eq!(
        next.await.unwrap().items[0].connection_name.as_str(),
        "post"
    );
    assert_eq!(
        connections.list().page_size(1).all().await.unwrap().len(),
        2
    );

    let short = connections.create(NewConnection::mail("short"));
    short.await.unwrap();
    connections.delete("short").await.unwrap();
    let gone = connections.read("short").await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::UnknownConnection);
}

async fn connect(stage: &Stage, stead: &Stead) {
    let ada = stead.account("post", "a/b %2F@\u{fc}").unwrap();
    let never = ada.read().await.unwrap_err();
    assert_eq!(never.kind(), ErrorKind::AccountNotFound);
    let refused = ada.authorize().await.unwrap_err();
    assert_eq!(refused.violation_list()[0].path, "/verify_url");

    // Through the account's handle, and by plain names.
    for by_name in [false, true] {
        let link = if by_name {
            stead.actions().authorization_link("post", ada.identifier())
        } else {
            ada.authorize()
        };
        let link = link
            .verify_url("https://app.example/connected")
            .state("s 1")
            .expires_in(std::time::Duration::from_secs(120))
            .await
            .unwrap();
        let mut browser = Browser::new();
        let product = browser.open(&link.link).await;
        let back = stage.consent(&product, ADA, &["all"]);
        assert!(
            browser
                .visit(&back)
                .await
                .header("location")
                .ends_with("&state=s+1")
        );
        let id = link.authorization_id.to_string();
        let account = if by_name {
            stead.actions().verify(&id, ada.identifier()).await
        } else {
            stead.authorizations().verify(&id, ada.identifier()).await
        };
        let account = account.unwrap();
        assert_eq!(account.state, AccountState::Active);
        assert_eq!(account.product_user.as_deref(), Some(ADA));
    }
    let unknown = stead.authorizations().verify("auth_none", "x").await;
    assert_eq!(
        unknown.unwrap_err().kind(),
        ErrorKind::AuthorizationNotFound
    );
}

async fn calls(stage: &Stage, stead: &Stead) {
    let ada = stead.account("post", "a/b %2F@\u{fc}").unwrap();
    let tool = ListDrafts {
        max_results: Some(1),
        ..ListDrafts::default()
    };
    let typed = ada.call(&tool).await.unwrap();
    assert_eq!(typed.output().unwrap().drafts.len(), 1);
    let input = json!({ "max_results": 1 });
    let named = ada
        .execute("mail_list_drafts", input.clone())
        .await
        .unwrap();
    assert_eq!(typed.data.get(), named.data.get());
    let actions = stead.actions();
    let plain = actions.call("post", ada.identifier(), &tool).await.unwrap();
    assert_eq!(typed.data.get(), plain.data.get());
    let plain = actions.execute_tool("mail_list_drafts", "post", ada.identifier(), input);
    assert_eq!(typed.data.get(), plain.await.unwrap().data.get());

    let sent = stage.received();
    let dry = ada
        .call(&FetchMails::default())
        .dry_run(true)
        .await
        .unwrap();
    let plan: Plan = dry.json().unwrap();
    assert!(plan.dry_run && plan.requests.iter().all(|one| one.sent));
    assert_eq!(stage.received(), sent + plan.requests.len());
    let raw = ada
        .request(http::Method::POST, "/gmail/v1/users/me/labels")
        .dry_run(true);
    let raw: Plan = serde_json::from_slice(raw.await.unwrap().body()).unwrap();
    assert!(!raw.requests[0].sent);
    assert_eq!(stage.received(), sent + plan.requests.len());
    let old = ada
        .call(&tool)
        .tool_version("1999-01-01")
        .await
        .unwrap_err();
    assert_eq!(old.kind(), ErrorKind::UnsupportedVersion);
    let keyed = ada.call(&tool).schema_version(named.tool_version.clone());
    keyed.idempotency_key("job \"7\"").await.unwrap();
    let bad = ada.call(&tool).idempotency_key("a\nb").await.unwrap_err();
    assert_eq!(bad.violation_list()[0].path, "/idempotency_key");
    let bad = ada.execute("mail_list_drafts", json!({ "max_results": 0 }));
    assert_eq!(
        bad.await.unwrap_err().violation_list()[0].path,
        "/max_results"
    );

    let profile = ada.get("/v1/users/me/profile").await.unwrap();
    let profile: Value = serde_json::from_slice(profile.body()).unwrap();
    assert_eq!(profile["emailAddress"], ADA);
    let labels = ["INBOX", "UNREAD"];
    let unread = ada
        .get("/gmail/v1/users/me/messages")
        .query("labelIds", labels[0])
        .query("labelIds", labels[1])
        .header("accept", "application/json")
        .await
        .unwrap();
    assert_eq!(unread.status(), 200);
    let wrong = ada
        .request(http::Method::POST, "/gmail/v1/users/me/drafts")
        .json(&json!({ "no": "draft" }))
        .await
        .unwrap();
    assert!(wrong.status().is_client_error(), "it is a response");
    let plain = ProxyRequest::new("post", ada.identifier(), "GET", "/v1/users/me/profile");
    assert_eq!(actions.request(plain).await.unwrap().status(), 200);
}

async fn tools(stead: &Stead) {
    let of_mail = stead.tools().product("mail").list().await.unwrap();
    assert_eq!(of_mail.len(), 12);
    let tools = stead
        .tools()
        .identifier("a/b %2F@\u{fc}")
        .list()
        .await
        .unwrap();
    for tool in tools {
        // The user has granted the default scopes, which only read.
        let expected = match (tool.product.as_str(), tool.effect) {
            ("mail", Effect::Read) => Readiness::Ready,
            ("mail", _) => Readiness::NeedsScope,
            _ => Readiness::NeedsConnection,
        };
        assert_eq!(tool.readiness, Some(expected), "{}", tool.name);
    }
    let one = stead.tools().read("mail_list_drafts").await.unwrap();
    assert_eq!(one.input_schema["type"], "object");
    let near = stead.tools().read("mail_list_draft").await.unwrap_err();
    assert!(near.message().contains("mail_list_drafts"), "{near}");

    let exported = stead
        .tools()
        .product("mail")
        .export(ExportFormat::OpenaiStrict);
    let exported = exported.await.unwrap();
    assert_eq!(exported.len(), 12);
    assert_eq!(exported[0]["function"]["strict"], true);
    let both = stead
        .tools()
        .identifier("x")
        .export(ExportFormat::Mcp)
        .await;
    assert_eq!(both.unwrap_err().kind(), ErrorKind::InvalidRequest);
}

async fn accounts(stead: &Stead) {
    let user = "a/b %2F@\u{fc}";
    let count = async |accounts: stead::Accounts| accounts.list().all().await.unwrap().len();
    assert_eq!(count(stead.accounts()).await, 1);
    assert_eq!(count(stead.accounts().connection("mail")).await, 0);
    assert_eq!(
        count(stead.accounts().connection("post").identifier(user)).await,
        1
    );
    assert_eq!(count(stead.accounts().product("calendar")).await, 0);
    assert_eq!(count(stead.accounts().state(AccountState::Active)).await, 1);
    assert_eq!(
        count(stead.accounts().state(AccountState::Suspended)).await,
        0
    );
    let unknown = stead.accounts().product("none").list().await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::InvalidRequest);
}

async fn ends(stage: &Stage, stead: &Stead) {
    let ada = stead.account("post", "a/b %2F@\u{fc}").unwrap();
    let before = ada.read().await.unwrap().updated_at;
    let refreshed = ada.refresh().await.unwrap();
    assert!(refreshed.updated_at >= before);
    assert_eq!(ada.suspend().await.unwrap().state, AccountState::Suspended);
    let refused = ada.call(&ListDrafts::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AccountSuspended);
    assert_eq!(ada.resume().await.unwrap().state, AccountState::Active);

    let ended = ada.disconnect().await.unwrap();
    assert_eq!(
        (ended.revocation, stage.revocations()),
        (Revocation::None, 0)
    );
    let error = ada.call(&ListDrafts::default()).await.unwrap_err();
    assert!(error.needs_user(), "{error:?}");
    let request = error.authorization_request().unwrap().clone();
    let link = stead.authorizations().link(request);
    link.verify_url("https://app.example/back").await.unwrap();
    // No grant is left to revoke.
    let ended = ada.disconnect().revoke_at_product(true).await.unwrap();
    assert_eq!(ended.revocation, Revocation::NotPossible);
    assert_eq!(ada.read().await.unwrap().state, AccountState::Disconnected);

    for wrong in [
        stead.account("no name", "user-1"),
        stead.account("post", ".."),
        stead.account("post", ""),
    ] {
        assert_eq!(wrong.unwrap_err().kind(), ErrorKind::InvalidRequest);
    }
}
