//! A process ends after the product has executed a keyed write, but before it reads the response. Another process then
//! makes the same call. If the product recognises a repeat, it executes the write once, and the second caller reads the
//! response that the first one missed.

use std::{
    sync::{Arc, mpsc},
    time::Duration,
};

use http::{Method, Request, Response};
use serde_json::{Value, json};
use stead::{
    Execution, Platform,
    transport::{ReqwestTransport, TransportOptions},
};
use stead_core::{
    ErrorKind,
    ports::{Body, BoxFuture, Transport, TransportError},
};

use crate::{products::connect, stage::Stage};

const KEY: &str = "order-4711";

/// A network that never delivers the response to an executed write.
struct Cut {
    network: ReqwestTransport,
    carried_out: mpsc::Sender<()>,
}

impl Transport for Cut {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let path = request.uri().path();
        let ends = ["/events", "/statements", "/spreadsheets"];
        let writes =
            *request.method() == Method::POST && ends.iter().any(|end| path.ends_with(end));
        Box::pin(async move {
            let response = self.network.send(request).await;
            if writes {
                self.carried_out.send(()).unwrap();
                std::future::pending::<()>().await;
            }
            response
        })
    }
}

/// Calls a tool in a runtime that plays another process, and stops it before the response is read.
async fn cut_off(stage: &Stage, product: &'static str, tool: &'static str, input: Value) {
    let (carried_out, wait) = mpsc::channel();
    let network = ReqwestTransport::new(TransportOptions::default()).unwrap();
    let builder = stage.over_its_store().transport(Arc::new(Cut {
        network,
        carried_out,
    }));
    let ended = tokio::task::spawn_blocking(move || {
        let process = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        process.spawn(async move {
            let platform = builder.build().await.unwrap();
            execute(&platform, product, tool, input).await
        });
        wait.recv().unwrap();
        process.shutdown_timeout(Duration::from_secs(10));
    });
    ended.await.unwrap();
}

async fn execute(
    platform: &Platform,
    product: &str,
    tool: &str,
    input: Value,
) -> stead::Result<Execution> {
    let account = platform.account(product, "user-1")?;
    account.execute(tool, input).idempotency_key(KEY).await
}

#[tokio::test]
async fn an_interrupted_calendar_event_is_created_once() {
    let stage = Stage::connected().await;
    connect(&stage, "calendar").await;
    let tool = "calendar_create_event";
    let input = json!({ "summary": "Once", "start_datetime": "2026-12-01T10:00:00Z",
        "create_meeting_room": true });
    cut_off(&stage, "calendar", tool, input.clone()).await;
    let again = || execute(&stage.platform, "calendar", tool, input.clone());
    let (second, third) = (again().await.unwrap(), again().await.unwrap());
    assert_eq!((second.replayed, third.replayed), (false, true));
    assert_eq!(second.data.get(), third.data.get());
    let event: Value = serde_json::from_str(second.data.get()).unwrap();
    assert_eq!(event["summary"], "Once", "{event}");
    assert!(event["hangoutLink"].is_string(), "{event}");

    let list = json!({ "connection_name": "calendar", "identifier": "user-1", "method": "GET",
        "path": "/calendar/v3/calendars/primary/events?q=Once" });
    let found = stage.post("/v1/proxy", &list).await.json();
    let ids: Vec<&Value> = found["items"].as_array().unwrap().iter().collect();
    assert_eq!(ids.len(), 1, "{found}");
    assert_eq!(ids[0]["id"], event["id"]);
}

#[tokio::test]
async fn an_interrupted_statement_is_executed_once() {
    let stage = Stage::connected().await;
    connect(&stage, "warehouse").await;
    let tool = "warehouse_execute_query";
    let input = |statement: &str| json!({ "statement": statement });
    let run = async |statement: &str| {
        let body = json!({ "connection_name": "warehouse", "identifier": "user-1",
            "input": input(statement) });
        let path = format!("/v1/tools/{tool}/execute");
        let reply = stage.post(&path, &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["data"]["result"]["data"].clone()
    };
    run("CREATE TABLE orders_once (id INT)").await;
    let insert = input("INSERT INTO orders_once VALUES (1)");
    cut_off(&stage, "warehouse", tool, insert.clone()).await;
    let again = || execute(&stage.platform, "warehouse", tool, insert.clone());
    let (second, third) = (again().await.unwrap(), again().await.unwrap());
    assert_eq!((second.replayed, third.replayed), (false, true));
    assert_eq!(second.data.get(), third.data.get());
    assert_eq!(
        run("SELECT COUNT(*) FROM orders_once").await,
        json!([["1"]])
    );
}

#[tokio::test]
async fn a_write_that_the_product_does_not_recognise_is_unknown() {
    let stage = Stage::connected().await;
    connect(&stage, "sheets").await;
    let tool = "sheets_create_spreadsheet";
    let input = json!({ "title": "Once" });
    cut_off(&stage, "sheets", tool, input.clone()).await;
    let before = stage.received();
    for _ in 0..2 {
        let again = execute(&stage.platform, "sheets", tool, input.clone()).await;
        assert_eq!(again.unwrap_err().kind(), ErrorKind::OutcomeUnknown);
    }
    assert_eq!(stage.received(), before);
}
