//! Writes `tests/golden/database.sql`: rows in every table, in every state that a row can have. Run it only to replace
//! the database that the tests open: `cargo test -p stead-stories --test stories -- --ignored golden::database_writer`.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use http::{Request, Response};
use jiff::SignedDuration;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection};
use stead::transport::{ReqwestTransport, TransportOptions};
use stead_core::{
    ports::{Body, BoxFuture, Transport, TransportError},
    resource::{ApproveCall, DenyCall},
};

use super::{
    file,
    walk::{START, text},
};
use crate::{
    browser::Browser,
    http_client::{Reply, request},
    mirror::Mirror,
    products::connect,
    stage::{ADA, GRACE, Setting, Stage},
};

/// The address of the service, according to the database.
const LISTEN: &str = "127.0.0.1:48484";
const HEAD: &str = "\
-- A database with rows in every table that the service writes: written by the story `golden::database_writer`, and never by
-- hand, because rows have MACs. Its public URL is http://127.0.0.1:48484.";

/// A network on which revocation endpoints are down.
struct NoRevocation(ReqwestTransport);

impl Transport for NoRevocation {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        if request.uri().path().ends_with("/revoke") {
            let mut response = Response::new(Body::Empty);
            *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
            return Box::pin(std::future::ready(Ok(response)));
        }
        self.0.send(request)
    }
}

/// Sends a request as the application, a second after the previous one.
async fn send(stage: &Stage, line: &str, body: Value) -> Reply {
    stage.clock.advance(SignedDuration::from_secs(1));
    let (method, path) = line.split_once(' ').unwrap();
    let url = format!("{}{path}", stage.url);
    if body.is_null() {
        let request = request(method.parse().unwrap(), &url, &stage.bearer, Body::Empty);
        return stage.http.send(request).await;
    }
    stage
        .http
        .json(method.parse().unwrap(), &url, &stage.bearer, &body)
        .await
}

async fn done(stage: &Stage, line: &str, body: Value) -> Value {
    let reply = send(stage, line, body).await;
    assert!(reply.status.is_success(), "{line}: {}", reply.text());
    serde_json::from_slice(&reply.body).unwrap_or_default()
}

/// A user opens a link and comes back with these scopes.
async fn follow(stage: &Stage, body: Value, user: &str, scopes: &[&str]) -> Value {
    let link = done(stage, "POST /v1/authorization-links", body).await;
    let mut browser = Browser::new();
    let product = browser.open(text(&link, "link")).await;
    let back = stage.consent(&product, user, scopes);
    browser.visit(&back).await;
    link
}

#[tokio::test]
#[ignore = "writes tests/golden/database.sql"]
async fn write() {
    let mut stage = Stage::set(Setting {
        still_at: Some(START.parse().unwrap()),
        private_hosts: vec!["127.0.0.1"],
        transport: Some(Arc::new(NoRevocation(
            ReqwestTransport::new(TransportOptions::default()).unwrap(),
        ))),
        listen: LISTEN,
        ..Setting::default()
    })
    .await;
    let receiver = Mirror::start(|_| {
        b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 7200\r\ncontent-length: 5\r\n\r\nouch!"
            .to_vec()
    })
    .await;
    let hook = json!({ "url": format!("{}/hook", receiver.url), "events": ["account.*"], "description": "the shop" });
    done(&stage, "POST /v1/webhooks", hook).await;
    let hook = json!({ "url": "https://hooks.example.com/", "events": ["connection.deleted"] });
    let hook = done(&stage, "POST /v1/webhooks", hook).await;
    let hook = format!("/v1/webhooks/{}", text(&hook, "id"));
    done(
        &stage,
        &format!("PATCH {hook}"),
        json!({ "disabled": true }),
    )
    .await;
    done(&stage, &format!("POST {hook}/rotate-secret"), Value::Null).await;

    accounts(&stage).await;
    let mut facts = access(&stage).await;
    facts.extend(calls(&stage).await);

    let key = done(&stage, "POST /v1/keys", Value::Null).await;
    let activate = format!("POST /v1/keys/{}/activate", text(&key, "key_id"));
    done(&stage, &activate, json!({ "at_once": true })).await;
    done(&stage, "POST /v1/keys/reencrypt", Value::Null).await;
    while stage.get("/v1/keys").await.json()["reencryption"]["running"] == true {
        tokio::task::yield_now().await;
    }
    done(&stage, "POST /v1/keys", Value::Null).await;
    let waits = async || {
        let page = stage.get("/v1/webhooks?page_size=1").await.json();
        let path = format!("/v1/webhooks/{}/deliveries", text(&page["items"][0], "id"));
        stage.get(&path).await.json()["items"]
            .as_array()
            .unwrap()
            .len()
    };
    while waits().await < 3 {
        tokio::task::yield_now().await;
    }
    stage.stop().await;
    let mut head = format!(
        "{HEAD}\n-- key: {}\n-- client_id: {}\n-- client_secret: {}\n",
        stage.key, stage.client_id, stage.client_secret
    );
    for (name, value) in facts {
        let _ = writeln!(head, "-- {name}: {value}");
    }
    let dump = dump(&stage.database).await;
    fs::write(file::path("database.sql"), head + &dump).unwrap();
}

/// Accounts and authorizations in every state.
async fn accounts(stage: &Stage) {
    let of = |identifier: &str| json!({ "connection_name": "mail", "identifier": identifier });
    for product in ["calendar", "warehouse", "workspace", "sheets"] {
        connect(stage, product).await;
    }
    // This account comes before Grace's others, because its revocation would end those too.
    follow(stage, of("disconnected"), GRACE, &["all"]).await;
    // The revocation fails, so it stays in the outbox.
    done(
        stage,
        "DELETE /v1/accounts/mail/disconnected?revoke_at_product=true",
        Value::Null,
    )
    .await;
    follow(stage, of("user-1"), ADA, &["all"]).await;
    done(stage, "POST /v1/accounts/mail/user-1/refresh", Value::Null).await;
    done(stage, "POST /v1/authorization-links", of("user-2")).await;
    let mut verified = of("user-3");
    verified["verify_url"] = json!("https://app.example.com/connected");
    verified["state"] = json!("kept");
    follow(stage, verified, GRACE, &["all"]).await;
    follow(stage, of("suspended"), ADA, &["all"]).await;
    done(
        stage,
        "POST /v1/accounts/mail/suspended/suspend",
        Value::Null,
    )
    .await;
    follow(stage, of("erased"), ADA, &["all"]).await;
    follow(stage, of("denied"), GRACE, &[]).await;
    follow(stage, of("revoked"), GRACE, &["all"]).await;
    stage.cause(json!({ "kind": "revoke", "user": GRACE }));
    let call = json!({ "connection_name": "mail", "identifier": "revoked", "input": {} });
    let reply = send(stage, "POST /v1/tools/mail_list_drafts/execute", call).await;
    assert_eq!(reply.kind(), "authorization_required");
    let import = json!({ "accounts": [{
        "connection_name": "mail", "identifier": "李雷/a b", "access_token": "ya29.imported", "refresh_token": "1//imported",
        "expires_at": "2026-05-04T12:00:00Z", "product_user": "linus@example.com", "product_user_id": "7",
        "scopes": ["https://www.googleapis.com/auth/gmail.readonly"],
    }] });
    done(stage, "POST /v1/account-imports", import).await;
    done(
        stage,
        "DELETE /v1/accounts/mail/erased?erase=true",
        Value::Null,
    )
    .await;
    done(
        stage,
        "POST /v1/connections",
        json!({ "connection_name": "draft", "product": "drive" }),
    )
    .await;
    let disabled = json!({ "connection_name": "disabled", "product": "sheets", "client_id": "id", "client_secret": "secret" });
    done(stage, "POST /v1/connections", disabled).await;
    done(
        stage,
        "PATCH /v1/connections/disabled",
        json!({ "disabled": true }),
    )
    .await;
}

/// Tokens, sessions, members and policies. Returns their secrets.
async fn access(stage: &Stage) -> Vec<(&'static str, String)> {
    let policy = json!({ "read_only": true, "tools": { "allow": ["mail_*"] } });
    done(stage, "PUT /v1/policies/readers", policy).await;
    let policy = json!({ "environment": true, "requires_approval": { "effects": ["delete"] }, "approval_expires_in": 604_800 });
    done(stage, "PUT /v1/policies/everyone", policy).await;
    let agent = json!({
        "name": "agent", "scopes": ["tools:execute:mail"], "rate_per_minute": 600, "connections": ["mail"],
        "policy": "readers", "expires_in": 8_640_000,
    });
    let agent = done(stage, "POST /v1/app-credentials", agent).await;
    let rotate = format!(
        "POST /v1/app-credentials/{}/rotate",
        text(&agent, "client_id")
    );
    done(stage, &rotate, json!({ "old_expires_in": 86400 })).await;
    let all = stead_core::scope::Scopes::all().words();
    let another = done(
        stage,
        "POST /v1/app-credentials",
        json!({ "name": "another", "scopes": all }),
    )
    .await;
    let token = json!({ "connections": ["mail", "calendar"], "identifier": "user-1", "access": "write", "expires_in": 86400 });
    let token = done(stage, "POST /v1/account-tokens", token).await;
    let session = json!({
        "identifier": "user-1", "connections": ["mail"], "expires_in": 86400, "max_bytes": 1000, "policy": "readers",
        "read_only": true, "view": "full", "verify_url": "https://app.example.com/connected",
    });
    let session = done(stage, "POST /v1/mcp-sessions", session).await;

    let environment = stage.platform.environment();
    let link = environment.begin_setup().await.unwrap().unwrap();
    let link = link.expose_secret().rsplit(['=', '/', '#']).next().unwrap();
    let password = SecretString::from("correct horse battery staple");
    let started = environment.set_up(link, "ada@example.com", "Ada", password);
    let session_of_ada = started.await.unwrap();
    done(
        stage,
        "POST /v1/members",
        json!({ "email": "bob@example.com", "role": "viewer" }),
    )
    .await;
    let carol = json!({ "email": "carol@example.com", "name": "Carol", "role": "operator" });
    let carol = done(stage, "POST /v1/members", carol).await;
    done(
        stage,
        &format!("PATCH /v1/members/{}", text(&carol, "member_id")),
        json!({ "disabled": true }),
    )
    .await;
    vec![
        ("another_client_id", text(&another, "client_id").to_owned()),
        (
            "another_client_secret",
            text(&another, "client_secret").to_owned(),
        ),
        ("account_token", text(&token, "token").to_owned()),
        ("session", session_of_ada.id.expose_secret().to_owned()),
        ("mcp_token", text(&session, "token").to_owned()),
    ]
}

/// Calls with their history, one with a key, and approvals in every state.
async fn calls(stage: &Stage) -> Vec<(&'static str, String)> {
    let mail =
        |input: Value| json!({ "connection_name": "mail", "identifier": "user-1", "input": input });
    done(
        stage,
        "POST /v1/tools/mail_list_drafts/execute",
        mail(json!({})),
    )
    .await;
    send(
        stage,
        "POST /v1/tools/mail_get_message_by_id/execute",
        mail(json!({ "message_id": "nothing" })),
    )
    .await;
    let statement = json!({ "connection_name": "warehouse", "identifier": "user-1", "input": { "statement": "SELECT 1.10" } });
    done(
        stage,
        "POST /v1/tools/warehouse_execute_query/execute",
        statement,
    )
    .await;
    for (path, key, body) in super::database::KEYED {
        stage.clock.advance(SignedDuration::from_secs(1));
        let url = format!("{}{path}", stage.url);
        let mut keyed = request(
            http::Method::POST,
            &url,
            &stage.bearer,
            body.as_bytes().to_vec().into(),
        );
        for (name, value) in [
            ("content-type", "application/json"),
            ("idempotency-key", key),
        ] {
            keyed.headers_mut().insert(name, value.parse().unwrap());
        }
        let reply = stage.http.send(keyed).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }

    // Another application decides, because an application can't approve its own calls.
    let environment = stage.platform.environment();
    let mut approvals = Vec::new();
    for state in ["used", "approved", "denied", "pending"] {
        let held = send(stage, "POST /v1/proxy", super::database::held(state)).await;
        assert_eq!(held.kind(), "approval_required");
        let id = text(&held.json()["context"], "approval_id").to_owned();
        let because = stead::resource::ApprovalDecision::because("the user asked for it");
        match state {
            "used" | "approved" => drop(
                environment
                    .send(ApproveCall::new(&id, because))
                    .await
                    .unwrap(),
            ),
            "denied" => drop(environment.send(DenyCall::new(&id, because)).await.unwrap()),
            _ => {}
        }
        if state == "used" {
            send(stage, "POST /v1/proxy", super::database::held(state)).await;
        }
        approvals.push(id);
    }
    vec![("pending_approval", approvals.pop().unwrap())]
}

/// The tables with their rows, as text.
async fn dump(path: &Path) -> String {
    let mut database = SqliteConnection::connect(&format!("sqlite://{}", path.display()))
        .await
        .unwrap();
    let mut texts = async |sql: String| -> Vec<String> {
        let rows = sqlx::query(AssertSqlSafe(sql))
            .fetch_all(&mut database)
            .await
            .unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let mut out = String::from("BEGIN TRANSACTION;\n");
    for name in ["application_id", "user_version"] {
        let value = texts(format!(
            "SELECT CAST(\"{name}\" AS TEXT) FROM pragma_{name}"
        ))
        .await;
        let _ = writeln!(out, "PRAGMA {name} = {};", value[0]);
    }
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    for table in texts(String::from(tables)).await {
        let made = texts(format!(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = '{table}'"
        ))
        .await;
        let _ = writeln!(out, "{};", made[0]);
        let columns = texts(format!(
            "SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')"
        ))
        .await;
        let values = columns.join(" || ',' || ");
        for row in texts(format!("SELECT {values} FROM \"{table}\" ORDER BY 1")).await {
            let _ = writeln!(out, "INSERT INTO \"{table}\" VALUES({row});");
        }
    }
    let last = "SELECT 'INSERT INTO sqlite_sequence VALUES(' || quote(name) || ',' || seq || ');' FROM sqlite_sequence";
    out.push_str("DELETE FROM sqlite_sequence;\n");
    for row in texts(String::from(last)).await {
        let _ = writeln!(out, "{row}");
    }
    let indexes = "SELECT sql || ';' FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL ORDER BY name";
    for index in texts(String::from(indexes)).await {
        let _ = writeln!(out, "{index}");
    }
    out + "COMMIT;\n"
}
