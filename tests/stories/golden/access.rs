//! Access: credentials of applications and their tokens, account tokens, MCP sessions, members and keys. Also the
//! service's own pages.

use serde_json::{Value, json};

use super::walk::{Ask, Walk, text};
use crate::{
    http_client::form,
    products::connect,
    stage::{ADA, Setting},
};

const NONE: Value = Value::Null;
const FORM: &str = "application/x-www-form-urlencoded";

#[tokio::test]
async fn oauth() {
    let mut walk = Walk::new().await;
    let (id, secret) = (
        walk.stage.client_id.clone(),
        walk.stage.client_secret.clone(),
    );
    let ask = |title: &str, pairs: &[(&str, &str)]| {
        Ask::of(title, "POST /oauth/token", &NONE)
            .bearer("")
            .text(FORM, &form(pairs))
    };
    let grant = ("grant_type", "client_credentials");
    let own = [
        grant,
        ("client_id", id.as_str()),
        ("client_secret", secret.as_str()),
    ];
    walk.send(ask("all scopes", &own)).await;
    let some = [
        own.as_slice(),
        &[("scope", "tools:execute:mail accounts:read")],
    ]
    .concat();
    walk.send(ask("some scopes", &some)).await;
    let basic = {
        use base64::{Engine as _, engine::general_purpose::STANDARD};
        format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
    };
    walk.normal.literal(&basic, "Basic …");
    walk.send(ask("by HTTP Basic", &[grant]).header("authorization", &basic))
        .await;
    let unknown = [own.as_slice(), &[("scope", "tools:eat")]].concat();
    walk.send(ask("unknown scope", &unknown)).await;
    walk.send(ask(
        "wrong secret",
        &[grant, own[1], ("client_secret", "wrong")],
    ))
    .await;
    walk.send(ask(
        "unknown client",
        &[grant, ("client_id", "app_1"), own[2]],
    ))
    .await;
    walk.send(ask(
        "another grant",
        &[("grant_type", "password"), own[1], own[2]],
    ))
    .await;
    walk.send(ask("given twice", &[grant, grant, own[1], own[2]]))
        .await;
    walk.send(ask("nothing", &[])).await;
    let narrow = json!({ "name": "narrow", "scopes": ["accounts:read"] });
    let made = walk
        .go(
            "a credential with one scope",
            "POST /v1/app-credentials",
            narrow,
        )
        .await;
    let narrow = [
        grant,
        ("client_id", text(&made, "client_id")),
        ("client_secret", text(&made, "client_secret")),
    ];
    let more = [narrow.as_slice(), &[("scope", "connections:read")]].concat();
    walk.send(ask("a scope that it doesn't have", &more)).await;
    walk.end("oauth");
}

#[tokio::test]
async fn service() {
    let mut walk = Walk::new().await;
    walk.go("index", "GET /", NONE).await;
    let ask = |title: &str, path: &str| Ask::new(title, "GET", path).bearer("");
    walk.send(ask("index for a browser", "/").header("accept", "text/html"))
        .await;
    for path in [
        "/healthz",
        "/readyz",
        "/readyz?exclude=store",
        "/openapi.json",
        "/v1",
        "/v1/nothing",
        "/nothing",
        "//v1/tools",
    ] {
        walk.send(ask(path, path)).await;
    }
    let tools = Ask::new("a path in upper case", "GET", "/V1/tools");
    walk.send(tools).await;
    let proxy = Ask::new("proxy without a path", "GET", "/proxy/mail/user-1");
    walk.send(proxy).await;
    walk.end("service");
}

#[tokio::test]
async fn app_credentials() {
    let mut walk = Walk::new().await;
    let all = "/v1/app-credentials";
    walk.go(
        "a policy",
        "PUT /v1/policies/agents",
        json!({ "read_only": true }),
    )
    .await;
    let simple = walk
        .go("create", format!("POST {all}"), json!({ "name": "simple" }))
        .await;
    let whole = json!({
        "name": "agent", "scopes": ["tools:execute:mail", "accounts:read"], "rate_per_minute": 600,
        "connections": ["mail"], "policy": "agents", "expires_in": 86400,
    });
    let whole = walk
        .go("create with everything", format!("POST {all}"), whole)
        .await;
    let page = walk
        .go("list", format!("GET {all}?page_size=2"), NONE)
        .await;
    let next = format!(
        "GET {all}?page_size=2&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the rest", next, NONE).await;
    let one = format!("{all}/{}", text(&whole, "client_id"));
    walk.go("read", format!("GET {one}"), NONE).await;
    let change = json!({
        "name": "other", "scopes": ["accounts:read"], "rate_per_minute": 0, "connections": ["*"], "policy": "",
    });
    walk.go("change", format!("PATCH {one}"), change).await;
    walk.go("change nothing", format!("PATCH {one}"), json!({}))
        .await;
    walk.go("rotate", format!("POST {one}/rotate"), json!({}))
        .await;
    walk.no(
        "rotate again",
        format!("POST {one}/rotate"),
        json!({ "old_expires_in": 60 }),
    )
    .await;
    let old = format!("DELETE {one}/secrets/{}", text(&whole, "secret_id"));
    walk.go("revoke the old secret", &old, NONE).await;
    walk.no("revoke it again", &old, NONE).await;
    walk.go(
        "rotate at once",
        format!("POST {one}/rotate"),
        json!({ "old_expires_in": 0 }),
    )
    .await;
    let last = walk.go("read it again", format!("GET {one}"), NONE).await;
    let last = format!(
        "DELETE {one}/secrets/{}",
        text(&last["secrets"][0], "secret_id")
    );
    walk.no("revoke the last secret", last, NONE).await;
    walk.go("delete", format!("DELETE {one}"), NONE).await;
    walk.no("delete it again", format!("DELETE {one}"), NONE)
        .await;
    let wrong = json!({
        "name": "", "scopes": ["tools:eat", "mail"], "rate_per_minute": -1, "connections": ["male"], "policy": "nothing",
        "expires_in": "soon",
    });
    walk.no("several faults", format!("POST {all}"), wrong)
        .await;
    let wrong = json!({ "name": "a", "scopes": ["tools:eat"], "policy": "nothing" });
    walk.no("unknown scope", format!("POST {all}"), wrong).await;
    let wrong = json!({ "name": "a", "connections": ["male"] });
    walk.no("unknown connection", format!("POST {all}"), wrong)
        .await;
    walk.no(
        "unknown policy",
        format!("POST {all}"),
        json!({ "name": "a", "policy": "nothing" }),
    )
    .await;
    let simple = format!("PATCH {all}/{}", text(&simple, "client_id"));
    walk.no(
        "a scope that is not known",
        simple,
        json!({ "scopes": ["tools:eat"] }),
    )
    .await;
    walk.end("app-credentials");
}

#[tokio::test]
async fn account_tokens() {
    let mut walk = Walk::set(Setting {
        proxy_url: Some("https://proxy.example.com"),
        ..Setting::default()
    })
    .await;
    walk.stage.connect("user-1", ADA).await;
    connect(&walk.stage, "calendar").await;
    let request = "POST /v1/account-tokens";
    let new = json!({ "connection_name": "mail", "identifier": "user-1", "access": "read" });
    let made = walk.go("create", request, new.clone()).await;
    let several = json!({
        "connections": ["mail", "calendar"], "identifier": "user-1", "access": "write", "expires_in": 60,
    });
    let several = walk
        .go("create for several connections", request, several)
        .await;
    walk.no(
        "for a user who never came",
        request,
        json!({ "connection_name": "mail", "identifier": "user-2", "access": "read" }),
    )
    .await;
    let list = "GET /v1/account-tokens?connection_name=mail&identifier=user-1";
    let page = walk.go("list", format!("{list}&page_size=1"), NONE).await;
    let next = format!(
        "{list}&page_size=1&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the rest", next, NONE).await;
    let path = "/proxy/mail/user-1/gmail/v1/users/me/profile";
    let proxy = |title: &str, token: &Value, path: &str| {
        Ask::new(title, "GET", path).bearer(text(token, "token"))
    };
    walk.send(proxy("use it", &made, path)).await;
    walk.send(
        proxy("use it at the host", &several, "/gmail/v1/users/me/profile")
            .header("host", "proxy.example.com"),
    )
    .await;
    walk.send(proxy(
        "for another user",
        &made,
        "/proxy/mail/user-2/gmail/v1/users/me/profile",
    ))
    .await;
    walk.send(proxy(
        "for an operation of applications",
        &made,
        "/v1/accounts",
    ))
    .await;
    walk.go(
        "revoke",
        format!("DELETE /v1/account-tokens/{}", text(&made, "token_id")),
        NONE,
    )
    .await;
    walk.send(proxy("use a revoked one", &made, path)).await;
    let wrong = json!({ "connection_name": "mail", "connections": ["mail"], "identifier": "user-1", "access": "all", "expires_in": 1 });
    walk.no("several faults", request, wrong).await;
    walk.no(
        "without a connection",
        request,
        json!({ "identifier": "user-1", "access": "read" }),
    )
    .await;
    walk.no(
        "of no one",
        "GET /v1/account-tokens?connection_name=mail&identifier=user-9",
        NONE,
    )
    .await;
    walk.go("suspend", "POST /v1/accounts/mail/user-1/suspend", NONE)
        .await;
    walk.no("for a suspended user", request, new).await;
    walk.end("account-tokens");
}

#[tokio::test]
async fn mcp_sessions() {
    let mut walk = Walk::new().await;
    walk.go(
        "a policy",
        "PUT /v1/policies/agents",
        json!({ "read_only": true }),
    )
    .await;
    let request = "POST /v1/mcp-sessions";
    let made = walk
        .go("create", request, json!({ "identifier": "user-1" }))
        .await;
    let whole = json!({
        "identifier": "user-2", "connections": ["mail"], "expires_in": 60, "max_bytes": 1000, "policy": "agents",
        "read_only": true, "tools": ["mail_list_drafts"], "verify_url": "https://app.example.com/connected",
        "view": "full",
    });
    let whole = walk.go("create with everything", request, whole).await;
    let page = walk
        .go("list", "GET /v1/mcp-sessions?page_size=1", NONE)
        .await;
    let next = format!(
        "GET /v1/mcp-sessions?page_size=1&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the rest", next, NONE).await;
    walk.go(
        "list those of a user",
        "GET /v1/mcp-sessions?identifier=user-2",
        NONE,
    )
    .await;
    let one = format!("/v1/mcp-sessions/{}", text(&whole, "session_id"));
    walk.go("read", format!("GET {one}"), NONE).await;
    walk.go("revoke", format!("DELETE {one}"), NONE).await;
    walk.no("read a revoked one", format!("GET {one}"), NONE)
        .await;
    walk.go(
        "read the other",
        format!("GET /v1/mcp-sessions/{}", text(&made, "session_id")),
        NONE,
    )
    .await;
    let wrong = json!({
        "identifier": "", "connections": ["male"], "expires_in": 1, "max_bytes": 0, "tools": ["mail_eat"], "view": "short",
    });
    walk.no("several faults", request, wrong).await;
    walk.no(
        "unknown connection",
        request,
        json!({ "identifier": "user-1", "connections": ["male"] }),
    )
    .await;
    walk.no(
        "unknown tool",
        request,
        json!({ "identifier": "user-1", "tools": ["mail_list_draft"] }),
    )
    .await;
    walk.no(
        "unknown policy",
        request,
        json!({ "identifier": "user-1", "policy": "nothing" }),
    )
    .await;
    walk.end("mcp-sessions");
}

#[tokio::test]
async fn members() {
    let mut walk = Walk::new().await;
    let request = "POST /v1/members";
    let owner = json!({ "email": "ada@example.com", "name": "Ada", "role": "owner" });
    walk.go("invite", request, owner.clone()).await;
    walk.no("invite again", request, owner).await;
    let bob = walk
        .go(
            "invite a viewer",
            request,
            json!({ "email": "Bob@Example.com", "role": "viewer" }),
        )
        .await;
    let page = walk.go("list", "GET /v1/members?page_size=1", NONE).await;
    let next = format!(
        "GET /v1/members?page_size=1&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the rest", next, NONE).await;
    let one = format!("/v1/members/{}", text(&bob, "member_id"));
    walk.go("read", format!("GET {one}"), NONE).await;
    walk.go(
        "change",
        format!("PATCH {one}"),
        json!({ "name": "Bob", "role": "operator" }),
    )
    .await;
    walk.go(
        "disable",
        format!("PATCH {one}"),
        json!({ "disabled": true }),
    )
    .await;
    walk.no(
        "reset a disabled one",
        format!("POST {one}/reset"),
        json!({}),
    )
    .await;
    walk.go(
        "enable",
        format!("PATCH {one}"),
        json!({ "disabled": false }),
    )
    .await;
    walk.go(
        "reset",
        format!("POST {one}/reset"),
        json!({ "second_factor": true }),
    )
    .await;
    walk.go("delete", format!("DELETE {one}"), NONE).await;
    walk.no("read a deleted one", format!("GET {one}"), NONE)
        .await;
    let wrong = json!({ "email": "no-one", "name": "x".repeat(101), "role": "king" });
    walk.no("several faults", request, wrong).await;
    walk.no(
        "no email address",
        request,
        json!({ "email": "no-one", "role": "owner" }),
    )
    .await;
    walk.end("members");
}

#[tokio::test]
async fn keys() {
    let mut walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    walk.go("list", "GET /v1/keys", NONE).await;
    walk.go("list with rows", "GET /v1/keys?count_rows=true", NONE)
        .await;
    let first = walk.stage.get("/v1/keys").await.json();
    let first = text(&first["data_keys"][0], "key_id").to_owned();
    let added = walk.go("add", "POST /v1/keys", NONE).await;
    let one = format!("/v1/keys/{}", text(&added, "key_id"));
    walk.no(
        "activate too soon",
        format!("POST {one}/activate"),
        json!({}),
    )
    .await;
    walk.go(
        "activate",
        format!("POST {one}/activate"),
        json!({ "at_once": true }),
    )
    .await;
    walk.no(
        "retire one that is used",
        format!("POST /v1/keys/{first}/retire"),
        NONE,
    )
    .await;
    walk.go("reencrypt", "POST /v1/keys/reencrypt", NONE).await;
    walk.go("list after it", "GET /v1/keys?count_rows=true", NONE)
        .await;
    walk.go("rewrap", "POST /v1/keys/rewrap", NONE).await;
    walk.go("retire", format!("POST /v1/keys/{first}/retire"), NONE)
        .await;
    walk.no(
        "activate a retired one",
        format!("POST /v1/keys/{first}/activate"),
        json!({ "at_once": true }),
    )
    .await;
    walk.no("retire the active one", format!("POST {one}/retire"), NONE)
        .await;
    walk.end("keys");
}
