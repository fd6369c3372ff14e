//! A credential that is limited to one connection: on every route, other connections look as if they didn't exist.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use stead_core::{
    resource::{NewAuthorizationLink, NewConnection},
    scope::Scopes,
};

use crate::{
    table,
    testing::{TestResponse, TestService, everything, json_response},
};

/// How to request a route.
enum Ask {
    /// `NAME` in the path and the body is replaced by the connection. The hidden one must look like one that doesn't
    /// exist.
    Named(&'static str, Value),
    /// The path with the ID of something hidden, and with an unknown ID.
    Id(String, String, Value),
    /// A list that doesn't contain this. A caller without a limit finds it.
    List(&'static str, String),
    /// It's not about connections.
    Open,
    /// It's not for callers with a limit.
    Closed(&'static str, Value),
}

/// IDs of things that belong to the connection `mail`, or to a credential without a limit.
struct Hidden {
    authorization: String,
    execution: String,
    token: String,
    session: String,
    credential: String,
    secret: String,
    webhook: String,
    approval: String,
    handle: String,
}

fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap().to_owned()
}

fn raw_json(response: &TestResponse) -> Value {
    serde_json::from_str(response.text()).unwrap()
}

async fn hidden(service: &TestService) -> Hidden {
    let link = NewAuthorizationLink::new("mail", "u2");
    let environment = service.platform.environment();
    let link = environment.send(link).await.unwrap();
    let new = json!({ "connection_name": "mail", "identifier": "u1", "access": "read" });
    let token = raw_json(&service.post("/v1/account-tokens", new).await);
    let new = json!({ "identifier": "u1", "connections": ["mail"] });
    let session = raw_json(&service.post("/v1/mcp-sessions", new).await);
    let call = json!({
        "connection_name": "mail", "identifier": "u1", "input": {}, "max_bytes": 1_000,
    });
    let path = "/v1/tools/mail_list_drafts/execute";
    let call = raw_json(&service.post(path, call).await);
    let handle = text(&call["left_out"][0], "handle");
    let webhook = json!({ "url": "https://example.com/hook" });
    let webhook = raw_json(&service.post("/v1/webhooks", webhook).await);
    service
        .get("/proxy/mail/u1/gmail/v1/users/me/profile")
        .await;
    // Calls appear in the history a moment later, and this clock doesn't wait.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let executions = raw_json(&service.get("/v1/executions").await);
    let credentials = raw_json(&service.get("/v1/app-credentials").await);
    let credential = &credentials["items"][0];
    Hidden {
        authorization: link.authorization_id.to_string(),
        execution: text(&executions["items"][0], "execution_id"),
        token: text(&token, "token_id"),
        session: text(&session, "session_id"),
        credential: text(credential, "client_id"),
        secret: text(&credential["secrets"][0], "secret_id"),
        webhook: text(&webhook, "id"),
        approval: service.asked_for_approval("u1").await,
        handle,
    }
}

/// An unknown ID of the same form.
fn other(id: &str) -> String {
    let mut digits: Vec<char> = id.chars().collect();
    let last = digits.last_mut().unwrap();
    *last = if *last == '0' { '1' } else { '0' };
    digits.into_iter().collect()
}

/// How to request a route.
fn asks(method: &str, path: &str, hidden: &Hidden) -> Vec<Ask> {
    let account = || json!({ "connection_name": "NAME", "identifier": "u1" });
    let with = |member: &str, value: Value| {
        let mut body = account();
        body[member] = value;
        body
    };
    let named = |path, body| vec![Ask::Named(path, body)];
    let id = |id: &str, body: Value| {
        let (start, rest) = path.split_once('{').unwrap();
        let end = rest.split_once('}').unwrap().1;
        let end = end
            .replace("{secret_id}", &hidden.secret)
            .replace("{event_id}", "event_00000000000000000000000000000000");
        let of = |id: &str| format!("{start}{id}{end}");
        vec![Ask::Id(of(id), of(&other(id)), body)]
    };
    let list = |path, needle: &str| Ask::List(path, needle.to_owned());
    let none = || Value::Null;
    match (method, path) {
        ("GET", "/v1/connections") => vec![list("/v1/connections", r#""connection_name":"mail""#)],
        ("POST", "/v1/connections") => named(
            "/v1/connections",
            json!({ "connection_name": "NAME", "product": "mail" }),
        ),
        ("GET" | "DELETE", "/v1/connections/{connection_name}") => {
            named("/v1/connections/NAME", none())
        }
        ("PATCH", "/v1/connections/{connection_name}") => {
            named("/v1/connections/NAME", json!({ "client_secret": "other" }))
        }
        ("POST", "/v1/authorization-links") => named("/v1/authorization-links", account()),
        ("GET", "/v1/authorizations/{authorization_id}") => id(&hidden.authorization, none()),
        ("POST", "/v1/authorizations/{authorization_id}/verify") => {
            id(&hidden.authorization, json!({ "identifier": "someone" }))
        }
        ("GET", "/v1/accounts") => vec![
            list("/v1/accounts", "u1"),
            list("/v1/accounts?identifier=u1", "u1"),
            Ask::Named("/v1/accounts?connection_name=NAME", none()),
        ],
        ("GET", "/v1/accounts/{connection_name}/{identifier}") => {
            named("/v1/accounts/NAME/u1", none())
        }
        ("DELETE", "/v1/accounts/{connection_name}/{identifier}") => vec![
            Ask::Named("/v1/accounts/NAME/u1", none()),
            Ask::Named("/v1/accounts/NAME/u1?erase=true", none()),
            Ask::Named("/v1/accounts/NAME/u1?revoke_at_product=true", none()),
        ],
        ("POST", "/v1/accounts/{connection_name}/{identifier}/suspend") => {
            named("/v1/accounts/NAME/u1/suspend", none())
        }
        ("POST", "/v1/accounts/{connection_name}/{identifier}/resume") => {
            named("/v1/accounts/NAME/u1/resume", none())
        }
        ("POST", "/v1/accounts/{connection_name}/{identifier}/refresh") => {
            named("/v1/accounts/NAME/u1/refresh", none())
        }
        ("POST", "/v1/account-imports") => {
            let account = with("access_token", json!("token"));
            let import = json!({ "accounts": [account], "existing": "replace" });
            named("/v1/account-imports", import)
        }
        ("GET", "/v1/account-tokens") => named(
            "/v1/account-tokens?connection_name=NAME&identifier=u1",
            none(),
        ),
        ("POST", "/v1/account-tokens") => {
            named("/v1/account-tokens", with("access", json!("read")))
        }
        ("DELETE", "/v1/account-tokens/{token_id}") => id(&hidden.token, none()),
        ("GET", "/v1/mcp-sessions") => vec![list("/v1/mcp-sessions", &hidden.session)],
        ("POST", "/v1/mcp-sessions") => named(
            "/v1/mcp-sessions",
            json!({ "identifier": "u1", "connections": ["NAME"] }),
        ),
        ("GET" | "DELETE", "/v1/mcp-sessions/{session_id}") => id(&hidden.session, none()),
        ("GET", "/v1/policies") => vec![Ask::Closed("/v1/policies", none())],
        ("POST", "/v1/policies/test") => vec![Ask::Closed("/v1/policies/test", json!({}))],
        ("PUT", "/v1/policies/{policy_name}") => vec![Ask::Closed("/v1/policies/p", json!({}))],
        (_, "/v1/policies/{policy_name}") => vec![Ask::Closed("/v1/policies/p", none())],
        ("GET", "/v1/approvals") => vec![list("/v1/approvals", &hidden.approval)],
        ("GET", "/v1/approvals/{approval_id}") => id(&hidden.approval, none()),
        (_, path) if path.starts_with("/v1/approvals/") => id(&hidden.approval, json!({})),
        ("GET", "/v1/audit") => vec![list("/v1/audit", r#""connection_name":"mail""#)],
        ("GET", "/v1/events") => vec![
            list("/v1/events", "u1"),
            list("/v1/events", "webhook.created"),
            Ask::Named("/v1/events?connection_name=NAME&identifier=u1", none()),
        ],
        ("GET", "/v1/executions") => vec![
            list("/v1/executions", "u1"),
            Ask::Named("/v1/executions?connection_name=NAME", none()),
        ],
        ("GET", "/v1/executions/totals") => {
            vec![list("/v1/executions/totals", r#""connection_name":"mail""#)]
        }
        ("GET", "/v1/executions/{execution_id}") => id(&hidden.execution, none()),
        ("GET", "/v1/files/{handle}") => {
            let other = format!("{}AAAA", &hidden.handle[..hidden.handle.len() - 4]);
            let of = |handle: &str| format!("/v1/files/{handle}");
            vec![Ask::Id(of(&hidden.handle), of(&other), none())]
        }
        ("GET", "/v1/tools") => vec![
            list("/v1/tools?identifier=u1", r#""ready""#),
            Ask::Named("/v1/tools?connection_name=NAME", none()),
        ],
        ("POST", "/v1/tools/{name}/execute") => named(
            "/v1/tools/mail_list_drafts/execute",
            with("input", json!({})),
        ),
        ("POST", "/v1/tool-calls") => {
            let call =
                json!({ "type": "tool_use", "id": "a", "name": "mail_list_drafts", "input": {} });
            named("/v1/tool-calls", with("calls", json!([call])))
        }
        ("POST", "/v1/proxy") => {
            let mut request = with("method", json!("GET"));
            request["path"] = json!("/gmail/v1/users/me/profile");
            named("/v1/proxy", request)
        }
        ("ANY", "/proxy/{connection_name}/{identifier}") => named("/proxy/NAME/u1", none()),
        ("ANY", "/proxy/{connection_name}/{identifier}/") => named("/proxy/NAME/u1/", none()),
        ("ANY", _) => named("/proxy/NAME/u1/gmail/v1/users/me/profile", none()),
        ("GET", "/v1/app-credentials") => {
            vec![list("/v1/app-credentials", &hidden.credential)]
        }
        ("POST", "/v1/app-credentials") => named(
            "/v1/app-credentials",
            json!({ "name": "x", "connections": ["NAME"] }),
        ),
        ("PATCH", "/v1/app-credentials/{client_id}") => {
            id(&hidden.credential, json!({ "name": "x" }))
        }
        ("POST", "/v1/app-credentials/{client_id}/rotate") => id(&hidden.credential, json!({})),
        (_, path) if path.starts_with("/v1/app-credentials/{client_id}") => {
            id(&hidden.credential, none())
        }
        ("GET", "/v1/webhooks") => vec![list("/v1/webhooks", &hidden.webhook)],
        ("PATCH", "/v1/webhooks/{webhook_id}") => id(&hidden.webhook, json!({ "disabled": true })),
        ("POST", "/v1/webhooks/{webhook_id}/replay") => {
            id(&hidden.webhook, json!({ "since": "2026-01-01T00:00:00Z" }))
        }
        (_, path) if path.starts_with("/v1/webhooks/{webhook_id}") => id(&hidden.webhook, none()),
        (_, "/v1/members") => vec![Ask::Closed("/v1/members", none())],
        (_, "/v1/members/{member_id}") => vec![Ask::Closed("/v1/members/mem_x", none())],
        (_, "/v1/members/{member_id}/reset") => {
            vec![Ask::Closed("/v1/members/mem_x/reset", none())]
        }
        (_, "/v1/keys") => vec![Ask::Closed("/v1/keys", none())],
        (_, "/v1/keys/reencrypt") => vec![Ask::Closed("/v1/keys/reencrypt", none())],
        (_, "/v1/keys/rewrap") => vec![Ask::Closed("/v1/keys/rewrap", none())],
        (_, "/v1/keys/{key_id}/activate") => {
            vec![Ask::Closed("/v1/keys/key_x/activate", json!({}))]
        }
        (_, "/v1/keys/{key_id}/retire") => vec![Ask::Closed("/v1/keys/key_x/retire", none())],
        ("GET", "/v1/tools/{name}" | "/v1/audit/verify") | ("POST", "/v1/webhooks") => {
            vec![Ask::Open]
        }
        _ => panic!("nothing is asked of {method} {path}"),
    }
}

/// The response that a caller reads, without the names of the requested thing.
fn read(response: &TestResponse, names: &[&str]) -> (StatusCode, String) {
    let mut shown = match response.header("content-type") {
        "application/json" | "application/problem+json" => response.json().to_string(),
        _ => response.text().to_owned(),
    };
    for name in names {
        shown = shown.replace(name, "#");
    }
    (response.status, shown)
}

async fn ask(service: &TestService, method: &str, path: &str, body: &Value) -> TestResponse {
    let body = Some(body.clone()).filter(|body| !body.is_null());
    let method = if method == "ANY" { "GET" } else { method };
    service.call(method, path, body).await
}

/// A service with the connections `mail`, with an account, and `other`.
async fn two_connections() -> TestService {
    let draft = json!({ "id": "r1", "message": { "id": "m1", "threadId": "t1" } });
    let drafts = json!({ "drafts": vec![draft; 50] });
    let service = TestService::with_products(move |_| json_response(&drafts))
        .await
        .with_account("u1")
        .await;
    let new = NewConnection::mail("other").client("other", "secret");
    let environment = service.platform.environment();
    environment.send(new).await.unwrap();
    service
}

#[tokio::test(start_paused = true)]
async fn every_route_treats_a_hidden_connection_as_unknown() {
    let service = two_connections().await;
    let limited = service
        .with_credential(everything("limited").connections(["other"]))
        .await;
    let hidden = hidden(&service).await;
    let mut asked = 0;
    for (access, routes) in table() {
        for route in routes.iter().filter(|_| access.takes_token()) {
            for one in asks(route.method, route.path, &hidden) {
                let what = format!("{} {}", route.method, route.path);
                asked += 1;
                match one {
                    Ask::Named(path, body) => {
                        let named = async |service: &TestService, name: &str| {
                            let body = body.to_string().replace("NAME", name);
                            let body = serde_json::from_str(&body).unwrap();
                            let path = path.replace("NAME", name);
                            let response = ask(service, route.method, &path, &body).await;
                            read(&response, &["mail", "none"])
                        };
                        let found = named(&limited, "mail").await;
                        assert_eq!(found, named(&limited, "none").await, "{what}");
                        if matches!(route.method, "GET" | "ANY") {
                            assert_ne!(found, named(&service, "mail").await, "{what}");
                        }
                    }
                    Ask::Id(path, unknown, body) => {
                        let ids = [path.as_str(), unknown.as_str()];
                        let ids = ids.map(|path| path.split('/').nth(3).unwrap());
                        let found = ask(&limited, route.method, &path, &body).await;
                        let missing = ask(&limited, route.method, &unknown, &body).await;
                        assert_eq!(read(&found, &ids), read(&missing, &ids), "{what}");
                        assert!(found.status.is_client_error(), "{what}");
                    }
                    Ask::List(path, needle) => {
                        let found = ask(&limited, "GET", path, &Value::Null).await;
                        assert_eq!(found.status, StatusCode::OK, "{what}");
                        assert!(!found.text().contains(&needle), "{what}: {}", found.text());
                        let all = ask(&service, "GET", path, &Value::Null).await;
                        assert!(all.text().contains(&needle), "{what}: {}", all.text());
                    }
                    Ask::Open => {}
                    Ask::Closed(path, body) => {
                        let refused = ask(&limited, route.method, path, &body).await;
                        refused.assert_problem(StatusCode::FORBIDDEN, "insufficient_scope");
                    }
                }
            }
        }
    }
    assert!(asked > 50, "{asked}");
    // The account wasn't changed.
    let account = service.get("/v1/accounts/mail/u1").await.json();
    assert_eq!(account["state"], "active");
    let path = format!("/v1/webhooks/{}", hidden.webhook);
    assert_eq!(service.get(&path).await.json()["disabled"], Value::Null);
    let path = "/v1/account-tokens?connection_name=mail&identifier=u1";
    service.get(path).await.assert_contains(&hidden.token);
}

#[tokio::test(start_paused = true)]
async fn a_limited_credential_sees_its_connection_and_passes_its_limit_on() {
    let service = two_connections().await;
    let limited = service
        .with_credential(everything("limited").connections(["mail"]))
        .await;
    for path in [
        "/v1/connections/mail",
        "/v1/accounts/mail/u1",
        "/proxy/mail/u1/gmail/v1/users/me/profile",
    ] {
        assert_eq!(limited.get(path).await.status, StatusCode::OK, "{path}");
    }
    let names = limited.get("/v1/connections").await.json();
    assert_eq!(names["items"].as_array().map(Vec::len), Some(1));
    for (path, needle) in [
        ("/v1/accounts", "u1"),
        ("/v1/events", "account.activated"),
        ("/v1/audit", "connection.created"),
        ("/v1/tools?identifier=u1", r#""ready""#),
        ("/v1/app-credentials", "limited"),
    ] {
        limited.get(path).await.assert_contains(needle);
    }
    let webhook = json!({ "url": "https://example.com/hook" });
    let webhook = limited.post("/v1/webhooks", webhook).await.json();
    assert_eq!(webhook["connections"], json!(["mail"]));
    let made = limited
        .post("/v1/app-credentials", json!({ "name": "child" }))
        .await
        .json();
    assert_eq!(made["connections"], json!(["mail"]));
    let wider = json!({ "name": "child", "connections": ["*"] });
    let refused = limited.post("/v1/app-credentials", wider).await;
    refused.assert_problem(StatusCode::FORBIDDEN, "insufficient_scope");
    let empty = json!({ "name": "child", "connections": [] });
    let refused = service.post("/v1/app-credentials", empty).await;
    refused.assert_problem(StatusCode::BAD_REQUEST, "invalid_request");
}

#[tokio::test(start_paused = true)]
async fn a_changed_limit_applies_to_existing_tokens() {
    let service = two_connections().await;
    let limited = service
        .with_credential(everything("limited").scopes(Scopes::all().words()))
        .await;
    let path = "/proxy/mail/u1/gmail/v1/users/me/profile";
    let new = json!({ "connection_name": "mail", "identifier": "u1", "access": "read" });
    let token = raw_json(&limited.post("/v1/account-tokens", new).await);
    let by_token = async || {
        let bearer = format!("Bearer {}", text(&token, "token"));
        let request = http::Request::get(path).header("authorization", bearer);
        let body = axum::body::Body::empty();
        service.send(request.body(body).unwrap()).await.status
    };
    assert_eq!(by_token().await, StatusCode::OK);
    assert_eq!(limited.get(path).await.status, StatusCode::OK);
    let credential = service.credential("limited").await;
    let own = format!("/v1/app-credentials/{}", credential.client_id);
    let change = async |connections: Value| {
        let change = json!({ "connections": connections });
        let changed = service.call("PATCH", &own, Some(change)).await;
        assert_eq!(changed.status, StatusCode::OK, "{}", changed.text());
        changed.json()["connections"].clone()
    };
    assert_eq!(change(json!(["other"])).await, json!(["other"]));
    assert_eq!(by_token().await, StatusCode::UNAUTHORIZED);
    let gone = limited.get(path).await;
    gone.assert_problem(StatusCode::NOT_FOUND, "unknown_connection");
    assert_eq!(change(json!(["*"])).await, Value::Null);
    assert_eq!(limited.get(path).await.status, StatusCode::OK);
    assert_eq!(by_token().await, StatusCode::OK);
}
