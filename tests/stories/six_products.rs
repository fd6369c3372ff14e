//! All six products through one service: the proxy paths of each, and a statement that outlasts its request.

use serde_json::{Value, json};
use stead_sandbox::{
    CLIENT_ID, CLIENT_SECRET, Fault, WAREHOUSE_ACCOUNT, WAREHOUSE_CLIENT_ID,
    WAREHOUSE_CLIENT_SECRET, WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET,
};

use crate::{
    browser::Browser,
    http_client::Reply,
    stage::{ADA, Stage},
};

async fn stage() -> Stage {
    let stage = Stage::connected().await;
    for product in ["workspace", "warehouse", "calendar", "sheets", "drive"] {
        connect(&stage, product).await;
    }
    stage
}

/// Makes a connection with the sandbox's client of the product, and connects Ada's account through it.
async fn connect(stage: &Stage, product: &str) {
    let (client_id, client_secret) = match product {
        "workspace" => (WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET),
        "warehouse" => (WAREHOUSE_CLIENT_ID, WAREHOUSE_CLIENT_SECRET),
        _ => (CLIENT_ID, CLIENT_SECRET),
    };
    let mut new = json!({
        "connection_name": product,
        "product": product,
        "client_id": client_id,
        "client_secret": client_secret,
    });
    if product == "warehouse" {
        new["settings"] = json!({ "account": WAREHOUSE_ACCOUNT });
    }
    let created = stage.post("/v1/connections", &new).await;
    assert_eq!(created.json()["state"], "ready", "{}", created.text());
    let link = json!({ "connection_name": product, "identifier": "user-1" });
    let link = stage.post("/v1/authorization-links", &link).await.json();
    let done = Browser::new()
        .connect(stage, link["link"].as_str().unwrap(), ADA)
        .await;
    assert_eq!(done.status, 200, "{product}: {}", done.text());
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
    // The product has no such method: its own refusal is passed on, and is not a problem of ours.
    let sheets = proxy(&stage, "sheets", "GET", "/v4/spreadsheets", Value::Null).await;
    assert_eq!(sheets.status, 404, "{}", sheets.text());
    assert_ne!(sheets.header("content-type"), "application/problem+json");
    let files = proxy(&stage, "drive", "GET", "/drive/v3/files", Value::Null).await;
    assert_eq!(files.json()["kind"], "drive#fileList", "{}", files.text());
    let search = proxy(&stage, "workspace", "POST", "/search", json!({})).await;
    assert_eq!(search.json()["object"], "list", "{}", search.text());
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
