//! The stream that a client of the older revision keeps open ends when its token is no longer valid.

use std::{sync::Arc, time::Duration};

use axum::body::{Body, BodyDataStream};
use futures_util::StreamExt as _;
use http::StatusCode;
use serde_json::{Value, json};
use stead::TokioRuntime;
use stead_core::{
    environment::Verification,
    resource::{DeleteAppCredential, DeleteMcpSession},
    store::MemoryStore,
};
use tokio::{sync::watch, time::timeout};
use tower::ServiceExt as _;

use super::{Client, OLD};
use crate::{
    caller::{Connection, Stopping},
    testing::{TestService, everything, json_response},
};

/// A service with a store that it can share with another one.
async fn over(store: &Arc<MemoryStore>) -> TestService {
    let respond = |_: &_| json_response(&json!({}));
    let store = Arc::clone(store);
    TestService::open_with(
        "http://127.0.0.1",
        Verification::LinkPossession,
        respond,
        |builder| builder.store(store),
    )
    .await
}

/// Opens a client's stream, which is quiet so far.
async fn open(client: &Client<'_>) -> BodyDataStream {
    open_until(client, Stopping::never()).await
}

async fn open_until(client: &Client<'_>, stopping: Stopping) -> BodyDataStream {
    let params = json!({
        "protocolVersion": OLD, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let request = client.request().body(Body::from(initialize.to_string()));
    let opened = client.service.send(request.unwrap()).await;
    let session = opened.header("mcp-session-id");
    let request = |method: &str| {
        let request = client.request().method(method);
        request
            .header("mcp-session-id", session)
            .header("mcp-protocol-version", OLD)
    };
    let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    let done = request("POST").body(Body::from(done)).unwrap();
    assert_eq!(client.service.send(done).await.status, StatusCode::ACCEPTED);
    let connection = Connection::new(Arc::default(), stopping);
    let get = request("GET").extension(connection).body(Body::empty());
    let response = client.service.router.clone().oneshot(get.unwrap());
    let response = response.await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut stream = response.into_body().into_data_stream();
    let rest = stream.by_ref().for_each(|_| async {});
    let open = timeout(Duration::from_secs(2), rest).await;
    assert!(open.is_err(), "the stream has ended by itself");
    stream
}

async fn assert_ends(stream: BodyDataStream, why: &str) {
    let rest = stream.for_each(|_| async {});
    let ended = timeout(Duration::from_secs(2), rest).await;
    assert!(ended.is_ok(), "{why}: the stream is still open");
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_when_its_session_ends_on_any_server() {
    let runtime = Arc::new(TokioRuntime::current().unwrap());
    let store = Arc::new(MemoryStore::new(runtime));
    let (one, other) = (over(&store).await, over(&store).await);
    one.connect_mail().await;
    let session = json!({ "identifier": "u1" });
    for at in [&one, &other] {
        let client = Client::new(&one, session.clone()).await;
        let stream = open(&client).await;
        let list: Value = one.get("/v1/mcp-sessions").await.json();
        let id = list["items"][0]["session_id"].as_str().unwrap();
        let environment = at.platform.environment();
        environment.send(DeleteMcpSession::new(id)).await.unwrap();
        assert_ends(stream, "ended").await;
    }
    let revoked = one.with_credential(everything("revoked")).await;
    let client = Client::new(&revoked, session.clone()).await;
    let stream = open(&client).await;
    let environment = other.platform.environment();
    let client_id = other.credential("revoked").await.client_id;
    let deleted = environment.send(DeleteAppCredential::new(client_id)).await;
    deleted.unwrap();
    assert_ends(stream, "credential revoked").await;

    let one = TestService::new().await;
    one.connect_mail().await;
    let client = Client::new(&one, session).await;
    let stream = open(&client).await;
    one.pass(Duration::from_secs(3_601));
    assert_ends(stream, "expired").await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_when_the_service_stops() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let (stop, stopping) = watch::channel(());
    let stream = open_until(&client, Stopping::new(stopping)).await;
    drop(stop);
    assert_ends(stream, "stopped").await;
}
