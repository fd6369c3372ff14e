//! All six products through one service: the proxy paths of each, and a statement that outlasts its request.

use serde_json::{Value, json};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Fault};

use crate::{
    browser::Browser,
    http_client::Reply,
    products::{self, connect},
    stage::{ADA, Stage},
};

async fn stage() -> Stage {
    let stage = Stage::connected().await;
    for product in ["workspace", "warehouse", "calendar", "sheets", "drive"] {
        connect(&stage, product).await;
    }
    stage
}

async fn proxy(stage: &Stage, product: &str, method: &str, path: &str, body: Value) -> Reply {
    let mut request = json!({ "connection_name": product, "identifier": "user-1", "path": path, "method": method });
    if !body.is_null() {
        request["body"] = body;
    }
    stage.post("/v1/proxy", &request).await
}

#[tokio::test]
async fn the_specifications_proxy_paths_respond_as_the_products_do() {
    let stage = stage().await;
    let me = proxy(&stage, "workspace", "GET", "/v1/users/me", Value::Null).await;
    assert_eq!(me.json()["object"], "user", "{}", me.text());
    let profile = proxy(&stage, "mail", "GET", "/v1/users/me/profile", Value::Null).await;
    assert_eq!(profile.json()["emailAddress"], ADA);
    let statement = json!({ "statement": "SELECT 1" });
    let ran = proxy(&stage, "warehouse", "POST", "/api/v2/statements", statement).await;
    assert_eq!(ran.json()["code"], "090001", "{}", ran.text());
    let calendars = proxy(
        &stage,
        "calendar",
        "GET",
        "/calendar/v3/users/me/calendarList",
        Value::Null,
    )
    .await;
    assert_eq!(
        calendars.json()["kind"],
        "calendar#calendarList",
        "{}",
        calendars.text()
    );
    // The product has no such method. Stead passes its error on, and doesn't turn it into a problem.
    let sheets = proxy(&stage, "sheets", "GET", "/v4/spreadsheets", Value::Null).await;
    assert_eq!(sheets.status, 404, "{}", sheets.text());
    assert_ne!(sheets.header("content-type"), "application/problem+json");
    let files = proxy(&stage, "drive", "GET", "/drive/v3/files", Value::Null).await;
    assert_eq!(files.json()["kind"], "drive#fileList", "{}", files.text());
    let search = proxy(&stage, "workspace", "POST", "/search", json!({})).await;
    assert_eq!(search.json()["object"], "list", "{}", search.text());
}

#[tokio::test]
async fn a_raw_request_speaks_the_version_of_the_connections_settings() {
    let stage = stage().await;
    let kinds = async || {
        let found = proxy(&stage, "workspace", "POST", "/search", json!({})).await;
        let found = found.json();
        let results = found["results"].as_array().unwrap().iter();
        let kinds: Vec<String> = results.map(|one| one["object"].to_string()).collect();
        kinds.join(" ")
    };
    let before = kinds().await;
    assert!(before.contains("\"database\""), "{before}");
    let settings = json!({ "settings": { "workspace_version": "2025-09-03" } });
    let changed = stage.patch("/v1/connections/workspace", &settings).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    let after = kinds().await;
    assert!(after.contains("\"data_source\""), "{after}");
    assert!(!after.contains("\"database\""), "{after}");
}

#[tokio::test]
async fn a_statement_of_fifty_seconds_is_fetched_later() {
    let stage = stage().await;
    let execute = async |tool: &str, input: Value| {
        let body =
            json!({ "connection_name": "warehouse", "identifier": "user-1", "input": input });
        stage
            .post(&format!("/v1/tools/{tool}/execute"), &body)
            .await
            .json()["data"]
            .clone()
    };
    let running = execute(
        "warehouse_execute_query",
        json!({ "statement": "SELECT SYSTEM$WAIT(50)" }),
    )
    .await;
    assert_eq!(running["state"], "running", "{running}");
    let handle = json!({ "statement_handle": running["statement_handle"] });
    stage.fault(Fault::Advance { seconds: 60 });
    let done = execute("warehouse_get_query_status", handle).await;
    assert_eq!(done["state"], "done", "{done}");
}

#[tokio::test]
async fn no_path_of_the_proxy_leads_to_an_oauth_endpoint() {
    let stage = stage().await;
    for product in stead::products::PRODUCTS {
        let oauth = &product.oauth;
        let own = [oauth.authorize, oauth.token]
            .into_iter()
            .chain(oauth.revoke);
        let own = own.filter_map(|url| url.split_once("://")?.1.split_once('/'));
        let own = own.map(|(_, path)| format!("/{path}"));
        let tried = [
            "/oauth2/v4/token",
            "/o/oauth2/token",
            "/v1/oauth/introspect",
            "/v1/OAuth/token",
            "/v1/%6fauth/token",
            "/v1/oauth;a/token",
            "/api/v2/../../oauth/token-request",
        ];
        let before = stage.received();
        for path in own.chain(tried.map(String::from)) {
            for method in ["GET", "POST"] {
                let reply = proxy(&stage, product.name, method, &path, Value::Null).await;
                assert_eq!(reply.kind(), "path_invalid", "{} {path}", product.name);
            }
        }
        assert_eq!(stage.received(), before, "{}", product.name);
    }
}

#[tokio::test]
async fn a_warehouse_client_may_name_the_kind_of_its_token() {
    const KIND: &str = "x-snowflake-authorization-token-type";
    let stage = stage().await;
    let url = format!("{}/proxy/warehouse/user-1/api/v2/statements", stage.url);
    let request = http::Request::post(url)
        .header("authorization", format!("Bearer {}", stage.bearer))
        .header("content-type", "application/json")
        .header(KIND, "KEYPAIR_JWT")
        .body(
            json!({ "statement": "SELECT 1" })
                .to_string()
                .into_bytes()
                .into(),
        )
        .unwrap();
    let reply = stage.http.send(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let received = stage.sandbox.sandbox.received().pop().unwrap();
    assert_eq!(
        received.headers[KIND], "OAUTH",
        "the kind of the token that goes out"
    );
}

/// With the sandbox as the product, a file is uploaded in two pieces and downloaded again, and a batch of mails gets
/// its responses.
#[tokio::test]
async fn uploads_and_batches_work_through_the_proxy() {
    let stage = Stage::connected().await;
    let new = json!({
        "connection_name": "drive",
        "product": "drive",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "permissions": ["https://www.googleapis.com/auth/drive"],
    });
    assert_eq!(
        stage.post("/v1/connections", &new).await.json()["state"],
        "ready"
    );
    let link = products::link(&stage, "drive", "user-1").await;
    let done = Browser::new().connect(&stage, &link, ADA).await;
    assert_eq!(done.status, 200, "{}", done.text());

    let send = async |method: &str, url: &str, headers: &[(&str, &str)], body: Vec<u8>| {
        let mut request = http::Request::builder()
            .method(method)
            .uri(url)
            .header("authorization", format!("Bearer {}", stage.bearer));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        stage.http.send(request.body(body.into()).unwrap()).await
    };
    const PIECE: usize = 256 * 1024;
    let drive = format!("{}/proxy/drive/user-1", stage.url);
    let begun = send(
        "POST",
        &format!("{drive}/upload/drive/v3/files?uploadType=resumable"),
        &[
            ("content-type", "application/json"),
            ("x-upload-content-type", "application/octet-stream"),
            ("x-upload-content-length", "262148"),
        ],
        br#"{"name": "two pieces"}"#.to_vec(),
    )
    .await;
    assert_eq!(begun.status, 200, "{}", begun.text());
    let session = begun.header("location").to_owned();
    assert!(
        session.starts_with(&format!("{drive}/upload/drive/v3/files?")),
        "{session}"
    );
    let range = [("content-range", "bytes 0-262143/262148")];
    let more = send("PUT", &session, &range, vec![0; PIECE]).await;
    assert_eq!(
        (more.status.as_u16(), more.header("range")),
        (308, "bytes=0-262143")
    );
    let range = [("content-range", "bytes 262144-262147/262148")];
    let file = send("PUT", &session, &range, b"last".to_vec()).await;
    assert_eq!(file.status, 200, "{}", file.text());
    let id = file.json()["id"].as_str().unwrap().to_owned();
    let content = send(
        "GET",
        &format!("{drive}/drive/v3/files/{id}?alt=media"),
        &[],
        Vec::new(),
    )
    .await;
    assert_eq!(content.body.len(), PIECE + 4);
    assert!(content.body.ends_with(b"last"));

    let part = |path: &str| {
        format!("--b\r\nContent-Type: application/http\r\n\r\nGET {path} HTTP/1.1\r\n\r\n\r\n")
    };
    let batch = [
        part("/proxy/mail/user-1/gmail/v1/users/me/profile"),
        part("/gmail/v1/users/me/labels"),
        String::from("--b--"),
    ];
    let kind = [("content-type", "multipart/mixed; boundary=b")];
    let url = format!("{}/proxy/mail/user-1/batch/gmail/v1", stage.url);
    let reply = send("POST", &url, &kind, batch.concat().into_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let text = reply.text();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
    assert!(text.contains(ADA), "{text}");
}
