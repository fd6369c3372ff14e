//! Opens a database that an earlier version wrote. Everything reads the same, and calls still work.

use std::sync::{Arc, Mutex};

use axum::{Router, body::Body as AxumBody};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, Row as _, SqliteConnection,
    sqlite::SqliteConnectOptions,
};
use stead::{Platform, resource::AccountWithTokens};
use stead_core::ports::{Body, BoxFuture, Transport, TransportError};
use tower::ServiceExt as _;

use super::{
    file::compare,
    walk::{START, text},
};
use crate::{
    clock::Clock,
    http_client::{Reply, form},
};

const DATABASE: &str = include_str!("../../golden/database.sql");
/// Tables without rows. The database is from a version that had no `call` and `call_name`, and wrote nothing into `execution`.
/// Processes share quotas only over a database server.
const EMPTY: [&str; 4] = ["call", "call_name", "execution", "quota_share"];

/// Calls with an idempotency key: path, key and body.
pub const KEYED: [(&str, &str, &str); 2] = [
    (
        "/v1/tools/calendar_create_event/execute",
        "k-1",
        r#"{"connection_name": "calendar", "identifier": "user-1", "input": {"summary": "Lunch",
            "start_datetime": "2026-05-05T10:00:00Z", "event_duration_hour": 1}}"#,
    ),
    (
        "/v1/proxy",
        "k-2",
        r#"{"connection_name": "sheets", "identifier": "user-1", "method": "POST", "path": "/v4/spreadsheets",
            "body": {"properties": {"title": "Costs"}, "sheets": [{"data": [{"rowData": [{"values": [
            {"userEnteredValue": {"numberValue": 1.10}}]}]}]}]}}"#,
    ),
];

/// The body of a call that a policy holds for approval.
pub fn held(message: &str) -> Value {
    json!({
        "connection_name": "mail", "identifier": "user-1", "method": "POST",
        "path": format!("/gmail/v1/users/me/messages/{message}/trash"), "body": { "weight": 1.10, "count": 10 },
    })
}

/// The product. It accepts every request, and records what it received.
#[derive(Default)]
struct Product(Mutex<Vec<String>>);

impl Transport for Product {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let bearer = request.headers().get("authorization");
            let bearer = bearer.map_or("no token", |bearer| bearer.to_str().unwrap());
            let shown = format!("{} {} {bearer}", request.method(), request.uri().path());
            self.0.lock().unwrap().push(shown);
            let mut response = Response::new(Body::from(b"{}".to_vec()));
            let headers = response.headers_mut();
            headers.insert(
                "content-type",
                http::HeaderValue::from_static("application/json"),
            );
            Ok(response)
        })
    }
}

/// The fact of this name from the file's comments.
fn fact(name: &str) -> &'static str {
    let mut lines = DATABASE.lines().take_while(|line| line.starts_with("--"));
    let found = lines.find_map(|line| {
        line.strip_prefix("-- ")?
            .strip_prefix(name)?
            .strip_prefix(": ")
    });
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// The service over a copy of the database. Its clock is twenty minutes after the start of the walk that wrote the
/// database.
struct Opened {
    platform: Platform,
    router: Router,
    product: Arc<Product>,
    bearer: String,
    database: SqliteConnection,
    _directory: tempfile::TempDir,
}

impl Opened {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("stead.db");
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true);
        let mut database = SqliteConnection::connect_with(&options).await.unwrap();
        database.execute(AssertSqlSafe(DATABASE)).await.unwrap();
        let start: Timestamp = START.parse().unwrap();
        let clock = Clock::still_at(start + SignedDuration::from_mins(20));
        let product = Arc::new(Product::default());
        let platform = Platform::builder("http://127.0.0.1:48484")
            .key(fact("key"))
            .sqlite(&path)
            .runtime(clock)
            .transport(Arc::clone(&product) as _)
            .private_host("127.0.0.1")
            .build()
            .await
            .unwrap();
        let mut opened = Self {
            router: stead_server::router(&platform),
            platform,
            product,
            bearer: String::new(),
            database,
            _directory: directory,
        };
        opened.bearer = opened.token("").await;
        // Stead moves the history of the older version after it has started.
        let count = "SELECT COUNT(*) FROM execution_log";
        while sqlx::query_scalar::<_, i64>(count)
            .fetch_one(&mut opened.database)
            .await
            .unwrap()
            > 0
        {}
        opened
    }

    /// A token for the application whose credential has this prefix in the file.
    async fn token(&self, prefix: &str) -> String {
        let [id, secret] = ["client_id", "client_secret"].map(|name| fact_of(prefix, name));
        let pairs = [
            ("grant_type", "client_credentials"),
            ("client_id", id),
            ("client_secret", secret),
        ];
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        let reply = self
            .send("POST", "/oauth/token", "", &headers, form(&pairs))
            .await;
        text(&reply.json(), "access_token").to_owned()
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        bearer: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Reply {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "127.0.0.1:48484");
        if !bearer.is_empty() {
            request = request.header("authorization", format!("Bearer {bearer}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(AxumBody::from(body)).unwrap();
        let (head, body) = self
            .router
            .clone()
            .oneshot(request)
            .await
            .unwrap()
            .into_parts();
        Reply {
            status: head.status,
            headers: head.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    async fn get(&self, path: &str) -> Value {
        let reply = self
            .send("GET", path, &self.bearer, &[], String::new())
            .await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply.json()
    }

    async fn post(&self, path: &str, bearer: &str, body: &Value) -> Reply {
        let headers = [("content-type", "application/json")];
        self.send("POST", path, bearer, &headers, body.to_string())
            .await
    }

    fn shown(&self) -> Vec<String> {
        std::mem::take(&mut *self.product.0.lock().unwrap())
    }

    async fn texts(&mut self, sql: &str) -> Vec<String> {
        let rows = sqlx::query(AssertSqlSafe(sql.to_owned()))
            .fetch_all(&mut self.database)
            .await;
        rows.unwrap().iter().map(|row| row.get(0)).collect()
    }

    /// Reads a list and each of its items. Adds them by their paths, and returns the items' paths.
    async fn read(&self, all: &mut Map<String, Value>, path: &str, id: &str) -> Vec<String> {
        let page = self.get(&format!("{path}?page_size=100")).await;
        assert!(page["next_page_token"].is_null(), "{path}");
        let items = page["items"].as_array().unwrap().iter();
        let ids: Vec<String> = items
            .map(|item| format!("{path}/{}", text(item, id)))
            .collect();
        all.insert(path.to_owned(), page);
        for path in &ids {
            all.insert(path.clone(), self.get(path).await);
        }
        ids
    }
}

fn fact_of(prefix: &str, name: &str) -> &'static str {
    fact(&format!("{prefix}{name}"))
}

#[tokio::test]
async fn every_table_has_rows() {
    let mut opened = Opened::new().await;
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    for table in opened.texts(tables).await {
        let is_expected = !EMPTY.contains(&table.as_str());
        assert_eq!(
            DATABASE.contains(&format!("INSERT INTO \"{table}\" ")),
            is_expected,
            "{table}"
        );
    }
}

#[tokio::test]
async fn every_resource_reads_the_same() {
    let mut opened = Opened::new().await;
    let mut all = Map::new();
    for (path, id) in [
        ("/v1/app-credentials", "client_id"),
        ("/v1/approvals", "approval_id"),
        ("/v1/connections", "connection_name"),
        ("/v1/executions", "execution_id"),
        ("/v1/mcp-sessions", "session_id"),
        ("/v1/members", "member_id"),
    ] {
        opened.read(&mut all, path, id).await;
    }
    for webhook in opened.read(&mut all, "/v1/webhooks", "id").await {
        let path = format!("{webhook}/deliveries");
        all.insert(path.clone(), opened.get(&path).await);
    }
    for authorization in opened
        .texts("SELECT id FROM \"authorization\" ORDER BY id")
        .await
    {
        let path = format!("/v1/authorizations/{authorization}");
        all.insert(path.clone(), opened.get(&path).await);
    }
    for path in [
        "/v1/account-tokens?connection_name=mail&identifier=user-1",
        "/v1/accounts?page_size=100",
        "/v1/accounts/mail/user-1",
        "/v1/accounts/mail/%E6%9D%8E%E9%9B%B7%2Fa%20b",
        "/v1/audit?page_size=100",
        "/v1/audit/verify",
        "/v1/events?limit=500",
        "/v1/executions/totals",
        "/v1/keys?count_rows=true",
        "/v1/policies",
        "/v1/policies/everyone",
        "/v1/policies/readers",
    ] {
        all.insert(path.to_owned(), opened.get(path).await);
    }
    let mut exported = Vec::new();
    let write = |account: AccountWithTokens| {
        exported.push(serde_json::to_value(account).unwrap());
        Ok(())
    };
    opened
        .platform
        .environment()
        .export_accounts(None, write)
        .await
        .unwrap();
    all.insert(String::from("stead accounts export"), exported.into());
    assert_eq!(all["/v1/audit/verify"].get("fault"), None);
    assert_eq!(all["/v1/audit/verify"].get("suspect_rows"), None);
    assert!(opened.shown().is_empty());
    compare("database.json", &all.into());
}

#[tokio::test]
async fn every_secret_still_works() {
    let opened = Opened::new().await;
    let call = json!({ "connection_name": "mail", "identifier": "user-1", "input": {} });
    let reply = opened
        .post("/v1/tools/mail_list_drafts/execute", &opened.bearer, &call)
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let path = "/proxy/mail/user-1/gmail/v1/users/me/profile";
    let reply = opened
        .send("GET", path, fact("account_token"), &[], String::new())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let shown = opened.shown();
    assert_eq!(shown.len(), 2, "{shown:?}");
    for (shown, path) in shown.iter().zip(["drafts", "profile"]) {
        assert!(
            shown.contains(&format!("/users/me/{path} Bearer ya29.")),
            "{shown}"
        );
    }
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "story", "version": "1" } } });
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    let reply = opened
        .send(
            "POST",
            "/mcp",
            fact("mcp_token"),
            &headers,
            initialize.to_string(),
        )
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let environment = opened.platform.environment();
    let signed_in = environment.signed_in(fact("session")).await.unwrap();
    assert_eq!(signed_in.member.email, "ada@example.com");
}

#[tokio::test]
async fn a_repeated_key_gets_the_stored_response() {
    let opened = Opened::new().await;
    for (path, key, body) in KEYED {
        let headers = [
            ("content-type", "application/json"),
            ("idempotency-key", key),
        ];
        let reply = opened
            .send("POST", path, &opened.bearer, &headers, body.to_owned())
            .await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.header("stead-idempotent-replayed"), "true");
        let other = body.replace("user-1", "user-2");
        let reply = opened
            .send("POST", path, &opened.bearer, &headers, other)
            .await;
        assert_ne!(reply.header("stead-idempotent-replayed"), "true");
    }
    assert!(opened.shown().is_empty());
}

#[tokio::test]
async fn held_calls_are_approved_and_made_once() {
    let opened = Opened::new().await;
    let call = async |state: &str| opened.post("/v1/proxy", &opened.bearer, &held(state)).await;
    let id = fact("pending_approval");
    let waits = call("pending").await;
    assert_eq!(text(&waits.json()["context"], "approval_id"), id);
    let another = opened.token("another_").await;
    let approved = opened
        .post(&format!("/v1/approvals/{id}/approve"), &another, &json!({}))
        .await;
    assert_eq!(approved.status, 200, "{}", approved.text());
    for state in ["pending", "approved"] {
        let made = call(state).await;
        assert_eq!(made.status, 200, "{state}: {}", made.text());
        let shown = opened.shown();
        assert_eq!(shown.len(), 1, "{shown:?}");
        assert!(
            shown[0].contains(&format!("/messages/{state}/trash Bearer ya29.")),
            "{shown:?}"
        );
        assert_eq!(call(state).await.kind(), "approval_required");
    }
    for state in ["used", "denied"] {
        let again = call(state).await;
        assert_eq!(again.kind(), "approval_required", "{state}");
    }
    assert!(opened.shown().is_empty());
}
