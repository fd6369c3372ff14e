//! The log's line for each call.

use std::{
    io::{self, Write},
    net::SocketAddr,
    sync::{Arc, LazyLock, Mutex},
};

use axum::{body::Body, extract::ConnectInfo};
use http::{Request, StatusCode, header};
use serde_json::{Value, json};
use stead_core::{environment::Verification, resource::ReadAccount};
use tracing::{Dispatch, Level, level_filters::LevelFilter};
use tracing_subscriber::{fmt, fmt::MakeWriter};

use crate::testing::{TestService, json_response};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// A second subscriber. With only one, a line that another test's thread reaches first counts as unwanted for every
/// thread.
static SECOND: LazyLock<Dispatch> =
    LazyLock::new(|| Dispatch::new(fmt().with_max_level(LevelFilter::OFF).finish()));

/// A call that succeeds, one that fails, a raw request, and two with unknown names.
async fn calls() -> Value {
    LazyLock::force(&SECOND);
    let service = TestService::new().await.with_account("CANARY-user").await;
    let environment = service.platform.environment();
    let account = environment
        .send(ReadAccount::new("mail", "CANARY-user"))
        .await
        .unwrap();
    let call = async |tool: &str, connection: &str| {
        let path = format!("/v1/tools/{tool}/execute");
        let input = json!({ "query": "CANARY-query" });
        let body =
            json!({ "connection_name": connection, "identifier": "CANARY-user", "input": input });
        service.post(&path, body).await.status
    };
    assert_eq!(call("mail_fetch_mails", "mail").await, StatusCode::OK);
    assert_eq!(
        call("mail_get_message_by_id", "mail").await,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    assert_eq!(
        service
            .get("/proxy/mail/CANARY-user/v1/users/me/profile?q=CANARY-query")
            .await
            .status,
        StatusCode::OK
    );
    assert_eq!(
        call("mail_fetch_mails", "two\nlines CANARY").await,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        call("mail_fetch_mails", "stead_token_CANARYCANARY").await,
        StatusCode::NOT_FOUND
    );
    json!(account.id)
}

#[tokio::test]
async fn a_call_is_one_line_of_json_without_identifier_and_secret() {
    let log = Log::default();
    let format = fmt().with_max_level(Level::INFO).with_writer(log.clone());
    let subscriber = format.json().with_span_list(false).finish();
    let account_id = {
        let _guard = tracing::subscriber::set_default(subscriber);
        calls().await
    };
    let text = log.text();
    assert!(!text.contains("CANARY"), "{text}");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let calls: Vec<Value> = lines
        .filter(|line| line["target"] == "stead::call")
        .collect();
    let told: Vec<Value> = calls
        .iter()
        .map(|call| {
            let call = &call["fields"];
            assert!(call["execution_id"].as_str().unwrap().starts_with("exec_"));
            assert!(call["micros"].is_u64());
            assert_eq!(
                (&call["message"], &call["actor"]),
                (&json!("call"), &json!("application"))
            );
            assert!(call["actor_id"].is_string());
            json!([
                call["tool"],
                call["connection"],
                call["account_id"],
                call["outcome"],
                call["requests"]
            ])
        })
        .collect();
    assert_eq!(
        Value::Array(told),
        json!([
            ["mail_fetch_mails", "mail", account_id, "ok", 1],
            [
                "mail_get_message_by_id",
                "mail",
                null,
                "schema_violation",
                0
            ],
            ["proxy", "mail", account_id, "ok", 1],
            [
                "mail_fetch_mails",
                "(not a name)",
                null,
                "unknown_connection",
                0
            ],
            [
                "mail_fetch_mails",
                "[removed] ",
                null,
                "unknown_connection",
                0
            ],
        ])
    );
    assert!(calls.iter().all(|call| call["level"] == "INFO"));
}

#[tokio::test]
async fn a_call_is_one_line_of_text() {
    let log = Log::default();
    let format = fmt().with_max_level(Level::INFO).with_writer(log.clone());
    {
        let _guard = tracing::subscriber::set_default(format.with_ansi(false).finish());
        calls().await;
    }
    let text = log.text();
    assert!(!text.contains("CANARY"), "{text}");
    let calls = text
        .lines()
        .filter(|line| line.contains("stead::call: call "));
    assert_eq!(calls.count(), 5, "{text}");
}

#[tokio::test]
async fn calls_leave_no_line_unless_the_log_asks_for_them() {
    let log = Log::default();
    let format = fmt().with_max_level(Level::WARN).with_writer(log.clone());
    let _guard = tracing::subscriber::set_default(format.finish());
    calls().await;
    assert_eq!(log.text(), "");
}

#[tokio::test]
async fn log_lines_of_a_request_and_its_call_have_the_callers_trace() {
    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    let log = Log::default();
    LazyLock::force(&SECOND);
    let format = fmt().with_max_level(Level::INFO).with_writer(log.clone());
    let subscriber = format.json().with_span_list(false).finish();
    {
        let _guard = tracing::subscriber::set_default(subscriber);
        let service = TestService::new().await.with_account("ada").await;
        let request = service
            .request("GET", "/proxy/mail/ada/v1/users/me/profile")
            .header("traceparent", format!("00-{TRACE}-b7ad6b7169203331-01"));
        let request = request.body(Body::empty()).unwrap();
        assert_eq!(service.send(request).await.status, StatusCode::OK);
    }
    let text = log.text();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_trace: Vec<Value> = lines
        .filter(|line| line.to_string().contains(TRACE))
        .collect();
    for (target, place) in [
        ("stead::call", "/fields/trace_id"),
        ("stead_server::middleware", "/span/trace_id"),
    ] {
        let mut of_target = of_trace.iter().filter(|line| line["target"] == target);
        let line = of_target
            .next()
            .unwrap_or_else(|| panic!("{target}: {text}"));
        assert_eq!(line.pointer(place), Some(&json!(TRACE)), "{line}");
    }
}

#[tokio::test]
async fn a_proxy_that_names_no_caller_is_logged_once() {
    LazyLock::force(&SECOND);
    for (host, peer, forwarded, lines) in [
        ("stead.example.com", "127.0.0.1:5", None, 1),
        ("stead.example.com", "127.0.0.1:5", Some("unknown"), 1),
        ("stead.example.com", "127.0.0.1:5", Some("192.0.2.1"), 0),
        ("stead.example.com", "192.0.2.1:5", None, 0),
        // If only this machine can connect, no proxy is missing.
        ("127.0.0.1", "127.0.0.1:5", None, 0),
    ] {
        let scheme = if host == "127.0.0.1" { "http" } else { "https" };
        let log = Log::default();
        let format = fmt().with_max_level(Level::WARN).with_writer(log.clone());
        let _guard = tracing::subscriber::set_default(format.finish());
        let public_url = format!("{scheme}://{host}");
        let service = TestService::open(&public_url, Verification::Application, |_| {
            json_response(&json!({}))
        });
        let service = service.await;
        for _ in 0..2 {
            let mut request = Request::get("/dashboard/sign-in").header(header::HOST, host);
            if let Some(caller) = forwarded {
                request = request.header("x-forwarded-for", caller);
            }
            let peer: SocketAddr = peer.parse().unwrap();
            let request = request.extension(ConnectInfo(peer)).body(Body::empty());
            let page = service.send(request.unwrap()).await;
            assert_eq!(page.status, StatusCode::OK, "{}", page.text());
        }
        let said = log.text().matches("doesn't set X-Forwarded-For").count();
        let what = format!("{host} {peer} {forwarded:?}: {}", log.text());
        assert_eq!(said, lines, "{what}");
    }
}
