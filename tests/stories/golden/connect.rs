//! The life of users' accounts: connections, links with their authorizations, accounts and imports.

use serde_json::{Value, json};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET};

use super::walk::{Walk, text};
use crate::{
    browser::Browser,
    stage::{ADA, GRACE},
};

const NONE: Value = Value::Null;

#[tokio::test]
async fn connections() {
    let mut walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    let draft = json!({ "connection_name": "letters", "product": "mail" });
    walk.go("create a draft", "POST /v1/connections", draft.clone())
        .await;
    walk.no("create it again", "POST /v1/connections", draft)
        .await;
    let whole = json!({
        "connection_name": "team-calendar", "product": "calendar", "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET, "permissions": ["calendar.readonly"],
    });
    walk.go("create a whole one", "POST /v1/connections", whole)
        .await;
    let warehouse = json!({
        "connection_name": "wh", "product": "warehouse", "settings": { "account": "myorg-account1" },
    });
    walk.go(
        "create one with settings",
        "POST /v1/connections",
        warehouse,
    )
    .await;
    for product in ["workspace", "sheets", "drive"] {
        let new = json!({ "connection_name": product, "product": product });
        walk.go(product, "POST /v1/connections", new).await;
    }
    walk.no(
        "without its settings",
        "POST /v1/connections",
        json!({ "connection_name": "wh2", "product": "warehouse" }),
    )
    .await;
    let wrong = json!({ "connection_name": "a/b", "product": "post", "client_id": "", "permissions": ["x"], "settings": { "a": 1 } });
    walk.no("several faults", "POST /v1/connections", wrong)
        .await;
    let wrong = json!({ "connection_name": "a", "product": "mail", "permissions": ["gmail.readonl"], "settings": { "account": 1 } });
    walk.no(
        "wrong permission and setting",
        "POST /v1/connections",
        wrong,
    )
    .await;
    let mut page = walk
        .go("list", "GET /v1/connections?page_size=4", NONE)
        .await;
    while let Some(next) = page["next_page_token"].as_str() {
        let next = format!("GET /v1/connections?page_size=4&page_token={next}");
        page = walk.go("list more", next, NONE).await;
    }
    walk.go("read", "GET /v1/connections/mail", NONE).await;
    walk.no("read a misspelled one", "GET /v1/connections/leters", NONE)
        .await;
    let change = json!({ "client_id": "id", "client_secret": "secret", "permissions": ["gmail.readonly", "gmail.send"] });
    walk.go("change", "PATCH /v1/connections/letters", change)
        .await;
    walk.go(
        "change settings",
        "PATCH /v1/connections/wh",
        json!({ "settings": { "account": "myorg-account2" } }),
    )
    .await;
    walk.go("change nothing", "PATCH /v1/connections/letters", json!({}))
        .await;
    walk.go(
        "disable",
        "PATCH /v1/connections/letters",
        json!({ "disabled": true }),
    )
    .await;
    walk.go(
        "enable",
        "PATCH /v1/connections/letters",
        json!({ "disabled": false }),
    )
    .await;
    walk.no(
        "change the name",
        "PATCH /v1/connections/letters",
        json!({ "connection_name": "a" }),
    )
    .await;
    walk.go("delete", "DELETE /v1/connections/letters", NONE)
        .await;
    walk.no("delete it again", "DELETE /v1/connections/letters", NONE)
        .await;
    walk.no(
        "delete one with accounts",
        "DELETE /v1/connections/mail",
        NONE,
    )
    .await;
    walk.end("connections");
}

const APP: &str = "https://app.example.com/connected?from=mail";

/// Opens the link as a user, who comes back from the product with these scopes.
async fn follow(walk: &Walk, link: &Value, user: &str, scopes: &[&str]) {
    let mut browser = Browser::new();
    let product = browser.open(text(link, "link")).await;
    let back = walk.stage.consent(&product, user, scopes);
    browser.visit(&back).await;
}

#[tokio::test]
async fn authorizations() {
    let mut walk = Walk::new().await;
    let links = "POST /v1/authorization-links";
    let new = json!({ "connection_name": "mail", "identifier": "user-1" });
    let simple = walk.go("create a link", links, new).await;
    let read = |link: &Value| format!("GET /v1/authorizations/{}", text(link, "authorization_id"));
    walk.go("read a new one", read(&simple), NONE).await;
    Browser::new().open(text(&simple, "link")).await;
    walk.go("read a redirected one", read(&simple), NONE).await;
    let new = json!({
        "connection_name": "mail", "identifier": "user-1", "verify_url": APP, "state": "kept as it is",
        "scopes": ["gmail.readonly"], "expires_in": 3600, "allow_account_switch": true,
    });
    let whole = walk.go("create a link with everything", links, new).await;
    walk.go("read a superseded one", read(&simple), NONE).await;
    follow(&walk, &whole, ADA, &["all"]).await;
    walk.go(
        "read one that waits for the application",
        read(&whole),
        NONE,
    )
    .await;
    walk.go("read its account", "GET /v1/accounts/mail/user-1", NONE)
        .await;
    let verify = format!(
        "POST /v1/authorizations/{}/verify",
        text(&whole, "authorization_id")
    );
    walk.no(
        "verify another user",
        &verify,
        json!({ "identifier": "user-2" }),
    )
    .await;
    let again = json!({ "connection_name": "mail", "identifier": "user-1", "verify_url": APP });
    let second = walk.go("create another link", links, again).await;
    follow(&walk, &second, ADA, &["all"]).await;
    let verify = format!(
        "POST /v1/authorizations/{}/verify",
        text(&second, "authorization_id")
    );
    walk.go("verify", &verify, json!({ "identifier": "user-1" }))
        .await;
    walk.go("verify again", &verify, json!({ "identifier": "user-1" }))
        .await;
    walk.go("read a completed one", read(&second), NONE).await;
    let other = walk
        .go(
            "another user",
            links,
            json!({ "connection_name": "mail", "identifier": "user-2" }),
        )
        .await;
    follow(&walk, &other, GRACE, &[]).await;
    walk.go("read a denied one", read(&other), NONE).await;
    walk.no(
        "verify a denied one",
        read(&other).replace("GET", "POST") + "/verify",
        json!({ "identifier": "user-2" }),
    )
    .await;
    walk.no(
        "unknown connection",
        links,
        json!({ "connection_name": "male", "identifier": "user-1" }),
    )
    .await;
    let wrong = json!({
        "connection_name": "mail", "identifier": " ", "verify_url": "app", "scopes": ["nothing"], "expires_in": 1,
        "state": "x".repeat(501),
    });
    walk.no("several faults", links, wrong).await;
    walk.go("suspend", "POST /v1/accounts/mail/user-1/suspend", NONE)
        .await;
    walk.go(
        "a link for a suspended user",
        links,
        json!({ "connection_name": "mail", "identifier": "user-1" }),
    )
    .await;
    let draft = json!({ "connection_name": "draft", "product": "drive" });
    walk.go("a draft", "POST /v1/connections", draft).await;
    walk.no(
        "a link of a draft",
        links,
        json!({ "connection_name": "draft", "identifier": "user-1" }),
    )
    .await;
    walk.end("authorizations");
}

#[tokio::test]
async fn authorization_links_are_part_of_authorizations() {
    let mut walk = Walk::new().await;
    let new = json!({ "connection_name": "mail", "identifier": "李雷/a b", "expires_in": 60 });
    let link = walk
        .go(
            "an identifier of any letters",
            "POST /v1/authorization-links",
            new,
        )
        .await;
    walk.stage.clock.advance(jiff::SignedDuration::from_mins(2));
    walk.stage.platform.environment().maintain().await.unwrap();
    let read = format!("GET /v1/authorizations/{}", text(&link, "authorization_id"));
    walk.go("read an expired one", read, NONE).await;
    walk.go(
        "its account",
        "GET /v1/accounts/mail/%E6%9D%8E%E9%9B%B7%2Fa%20b",
        NONE,
    )
    .await;
    walk.end("authorization-links");
}

#[tokio::test]
async fn accounts() {
    let mut walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    walk.stage.connect("user-2", GRACE).await;
    walk.stage.link("user-3").await;
    let page = walk.go("list", "GET /v1/accounts?page_size=2", NONE).await;
    let next = format!(
        "GET /v1/accounts?page_size=2&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the rest", next, NONE).await;
    for (title, query) in [
        (
            "by connection and state",
            "connection_name=mail&state=pending_authorization",
        ),
        ("by product", "product=mail&page_size=1"),
        ("by user", "identifier=user-2"),
        ("by prefix", "identifier_prefix=user-&page_size=1"),
        ("enum in upper case", "state=ACTIVE&page_size=1"),
    ] {
        walk.go(title, format!("GET /v1/accounts?{query}"), NONE)
            .await;
    }
    walk.no(
        "of an unknown connection",
        "GET /v1/accounts?connection_name=male",
        NONE,
    )
    .await;
    walk.no(
        "of an unknown product",
        "GET /v1/accounts?product=post",
        NONE,
    )
    .await;
    let one = "/v1/accounts/mail/user-1";
    walk.go("read", format!("GET {one}"), NONE).await;
    walk.go("refresh", format!("POST {one}/refresh"), NONE)
        .await;
    walk.go("suspend", format!("POST {one}/suspend"), NONE)
        .await;
    walk.go("suspend again", format!("POST {one}/suspend"), NONE)
        .await;
    walk.no(
        "refresh a suspended one",
        format!("POST {one}/refresh"),
        NONE,
    )
    .await;
    walk.go("resume", format!("POST {one}/resume"), NONE).await;
    walk.no("resume again", format!("POST {one}/resume"), NONE)
        .await;
    walk.stage.cause(json!({ "kind": "revoke", "user": GRACE }));
    walk.no(
        "refresh a revoked one",
        "POST /v1/accounts/mail/user-2/refresh",
        NONE,
    )
    .await;
    let call = json!({ "connection_name": "mail", "identifier": "user-2", "input": {} });
    walk.no(
        "a call of a revoked one",
        "POST /v1/tools/mail_list_drafts/execute",
        call,
    )
    .await;
    walk.go("read a revoked one", "GET /v1/accounts/mail/user-2", NONE)
        .await;
    walk.go(
        "disconnect, tried",
        format!("DELETE {one}?dry_run=true&revoke_at_product=true&erase=true"),
        NONE,
    )
    .await;
    walk.go(
        "disconnect",
        format!("DELETE {one}?revoke_at_product=true"),
        NONE,
    )
    .await;
    walk.go("read a disconnected one", format!("GET {one}"), NONE)
        .await;
    walk.no(
        "refresh a disconnected one",
        format!("POST {one}/refresh"),
        NONE,
    )
    .await;
    walk.go("erase", "DELETE /v1/accounts/mail/user-2?erase=true", NONE)
        .await;
    walk.no("read an erased one", "GET /v1/accounts/mail/user-2", NONE)
        .await;
    walk.end("accounts");
}

#[tokio::test]
async fn imports() {
    let mut walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    let request = "POST /v1/account-imports";
    let account = |identifier: &str| {
        json!({
            "connection_name": "mail", "identifier": identifier, "access_token": "ya29.a", "refresh_token": "1//a",
            "expires_at": "2026-05-04T10:00:00Z", "product_user": "linus@example.com", "product_user_id": "7",
            "scopes": ["https://www.googleapis.com/auth/gmail.readonly"],
        })
    };
    let import = |accounts: Value, more: Value| {
        let mut body = more;
        body["accounts"] = accounts;
        body
    };
    let two = json!([account("user-7"), account("user-1")]);
    walk.go(
        "try",
        request,
        import(two.clone(), json!({ "dry_run": true })),
    )
    .await;
    walk.go("import", request, import(two, json!({}))).await;
    walk.go(
        "skip",
        request,
        import(json!([account("user-1")]), json!({ "existing": "skip" })),
    )
    .await;
    let replace = import(json!([account("user-1")]), json!({ "existing": "replace" }));
    walk.go("replace", request, replace).await;
    walk.go("read", "GET /v1/accounts/mail/user-7", NONE).await;
    let wrong = json!([
        { "connection_name": "male", "identifier": "user-8", "access_token": "a" },
        { "connection_name": "mail", "identifier": "", "access_token": "a" },
        { "connection_name": "mail", "identifier": "user-9", "access_token": "a", "scopes": ["nothing"] },
    ]);
    walk.go(
        "those that can't be imported",
        request,
        import(wrong, json!({})),
    )
    .await;
    let wrong = json!([{ "connection_name": 1, "identifier": "user-8", "acess_token": "a", "expires_at": "soon" }]);
    walk.no(
        "several faults",
        request,
        import(wrong, json!({ "existing": "keep" })),
    )
    .await;
    walk.end("account-imports");
}
