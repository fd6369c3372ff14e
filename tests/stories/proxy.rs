//! The proxy against callers who try to redirect it: V01 to V57 of `docs/contribute/proxy-vectors.md`, over the JSON
//! form and over raw sockets. Each is rejected, the product receives nothing, and neither does a listener at the
//! attacker's address.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{http_client::raw, stage::Stage};

/// Counts connections.
struct Canary {
    address: String,
    heard: Arc<AtomicUsize>,
}

impl Canary {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heard = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&heard);
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { address, heard }
    }
}

/// V01 to V41; `evil.test` stands for the canary.
const PATHS: &[(&str, &str)] = &[
    ("V01", "https://evil.test/x"),
    ("V02", "http://evil.test/"),
    ("V03", "//evil.test/x"),
    ("V04", "///evil.test/x"),
    ("V05", "/\\evil.test/x"),
    ("V06", "\\\\evil.test\\x"),
    ("V07", "/\t/evil.test/x"),
    ("V08", "@evil.test/x"),
    ("V09", ":443@evil.test/x"),
    ("V10", ".evil.test/x"),
    ("V11", "users/me"),
    ("V12", ""),
    ("V13", "?a=b"),
    ("V14", "#f"),
    ("V15", "/v1/users/x#frag"),
    ("V16", "/../admin"),
    ("V17", "/v1/users/../../x"),
    ("V18", "/v1/users/%2e%2e/x"),
    ("V19", "/v1/users/.%2e/x"),
    ("V20", "/v1/users/%2E%2E%2Fx"),
    ("V21", "/v1/users/..%2fx"),
    ("V22", "/v1/users/..%5cx"),
    ("V23", "/v1/users/%252e%252e%252fx"),
    ("V24", "/v1/users/..;/x"),
    ("V25", "/v1/users/..\\x"),
    ("V26", "/v1/users/x%0d%0aHost:%20evil"),
    ("V27", "/v1/users/x\r\nHost: evil.test"),
    ("V28", "/v1/users/x%00"),
    ("V29", "/v1/users/x\0"),
    ("V30", "/v1/users/%zz"),
    ("V31", "/v1/users/%"),
    ("V32", "/v1/users//x"),
    ("V33", "/%2f%2fevil.test"),
    ("V34", "/\u{ff0e}\u{ff0e}/x"),
    ("V35", "/v1/users/\u{2025}/x"),
    ("V36", "/v1/users/%c0%ae%c0%ae/"),
    ("V37", "LONG"),
    ("V38", "javascript:alert(1)"),
    ("V39", "file:///etc/passwd"),
    ("V40", "/v1/users/me/profile?access_token=abc"),
    ("V41", "/v1/users/me/profile?a=1&key=AIza"),
];

/// V45 to V56 as headers.
const HEADERS: &[(&str, &str, &str)] = &[
    ("V45", "Host", "evil.test"),
    ("V46", "Authorization", "Bearer attacker"),
    ("V47", "Proxy-Authorization", "Basic YTpi"),
    ("V48", "Cookie", "a=b"),
    ("V49", "Transfer-Encoding", "chunked"),
    ("V50", "Content-Length", "+5"),
    ("V51", "Connection", "Authorization"),
    ("V52", "X-HTTP-Method-Override", "DELETE"),
    ("V53", "X-Forwarded-Host", "evil.test"),
    ("V53", "X-Forwarded-For", "127.0.0.1"),
    ("V53", "Forwarded", "host=evil.test"),
    ("V54", "Accept", "a\nb"),
    ("V55", "Host : x", "y"),
    ("V56", "Expect", "100-continue"),
    ("V56", "Upgrade", "websocket"),
    ("V56", "TE", "trailers"),
];

struct Scene {
    stage: Stage,
    canary: Canary,
    received: usize,
}

impl Scene {
    async fn new() -> Self {
        let stage = Stage::connected().await;
        let received = stage.received();
        Self {
            stage,
            canary: Canary::new().await,
            received,
        }
    }

    fn path(&self, vector: &str) -> String {
        if vector == "LONG" {
            format!("/v1/users/{}", "x".repeat(8192))
        } else {
            vector.replace("evil.test", &self.canary.address)
        }
    }

    async fn json(&self, change: impl FnOnce(&mut Value)) -> crate::http_client::Reply {
        let mut request = json!({ "connection_name": "mail", "identifier": "user-1", "path": "/v1/users/me/profile", "method": "GET" });
        change(&mut request);
        self.stage.post("/v1/proxy", &request).await
    }

    /// Sends a raw request to the streaming form. `lines` are more header lines.
    async fn raw(&self, method: &str, path: &str, lines: &str) -> (u16, String) {
        let request = format!(
            "{method} /proxy/mail/user-1{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n{lines}\r\n",
            self.stage.address(),
            self.stage.bearer,
        );
        raw(self.stage.address(), request.as_bytes()).await
    }

    fn nothing_was_sent(&self, vector: &str) {
        assert_eq!(
            self.stage.received(),
            self.received,
            "{vector}: the product received something"
        );
        assert_eq!(
            self.canary.heard.load(Ordering::SeqCst),
            0,
            "{vector}: the canary heard something"
        );
    }
}

#[tokio::test]
async fn hostile_paths_in_the_json_form() {
    let scene = Scene::new().await;
    for (vector, path) in PATHS {
        let reply = scene
            .json(|request| request["path"] = json!(scene.path(path)))
            .await;
        assert_eq!(reply.kind(), "path_invalid", "{vector}");
        scene.nothing_was_sent(vector);
    }
}

#[tokio::test]
async fn hostile_paths_over_a_raw_socket() {
    let scene = Scene::new().await;
    // A fragment never arrives, because hyper removes it from the request target.
    for (vector, path) in PATHS.iter().filter(|(_, path)| !path.contains('#')) {
        let (status, response) = scene.raw("GET", &scene.path(path), "").await;
        // Invalid HTTP is rejected before our rules apply: with 400, or as another path that doesn't exist.
        assert!((400..500).contains(&status), "{vector}: {response}");
        scene.nothing_was_sent(vector);
    }
}

#[tokio::test]
async fn hostile_methods() {
    let scene = Scene::new().await;
    for (vector, method) in [
        ("V42", "CONNECT"),
        ("V43", "TRACE"),
        ("V44", "get"),
        ("V44", "GET\r\nX:1"),
        ("V44", "OPTIONS"),
        ("V44", "PURGE"),
    ] {
        let reply = scene
            .json(|request| request["method"] = json!(method))
            .await;
        assert_eq!(reply.kind(), "method_not_allowed", "{vector} {method}");
        if !method.contains('\r') {
            let (status, response) = scene.raw(method, "/v1/users/me/profile", "").await;
            assert!(
                (400..500).contains(&status),
                "{vector} {method}: {response}"
            );
        }
        scene.nothing_was_sent(vector);
    }
}

#[tokio::test]
async fn hostile_headers() {
    let scene = Scene::new().await;
    for (vector, name, value) in HEADERS {
        let value = value.replace("evil.test", &scene.canary.address);
        let reply = scene
            .json(|request| request["headers"] = json!({ *name: value }))
            .await;
        assert_eq!(reply.kind(), "header_not_allowed", "{vector} {name}");
        scene.nothing_was_sent(vector);
    }
    for (vector, name, value) in OVER_HTTP {
        let lines = format!("{name}: {value}\r\n");
        let (status, response) = scene.raw("POST", "/v1/users/me/profile", &lines).await;
        assert_eq!(status, 400, "{vector} {name}: {response}");
        scene.nothing_was_sent(vector);
    }
}

/// The headers of V45 to V56 that Stead rejects over HTTP: ambiguous framing, another method, and invalid HTTP. It
/// drops the others, so the product never sees them.
const OVER_HTTP: &[(&str, &str, &str)] = &[
    ("V49", "Transfer-Encoding", "gzip, chunked"),
    ("V50", "Content-Length", "+5"),
    ("V50", "Content-Length: 3\r\nContent-Length", "5"),
    ("V52", "X-HTTP-Method-Override", "DELETE"),
    ("V52", "X-Method-Override", "DELETE"),
    ("V52", "X-HTTP-Method", "GET"),
    ("V54", "Accept", "a\0b"),
    ("V55", "Host ", "x"),
];

#[tokio::test]
async fn hop_by_hop_and_proxy_headers_are_dropped_over_http() {
    let scene = Scene::new().await;
    for (vector, name, value) in [
        ("V47", "Proxy-Authorization", "Basic canary"),
        ("V48", "Cookie", "canary=b"),
        // A length next to chunks is dropped, and so is a repeated length.
        (
            "V49",
            "Content-Length: 3\r\nTransfer-Encoding",
            "chunked\r\n\r\n0",
        ),
        ("V50", "Content-Length: 0\r\nContent-Length", "0"),
        ("V51", "Connection", "Authorization"),
        ("V53", "X-Forwarded-Host", "canary"),
        ("V53", "X-Forwarded-For", "canary"),
        ("V53", "Forwarded", "host=canary"),
        ("V56", "Expect", "100-continue"),
        ("V56", "Upgrade", "websocket"),
        ("V56", "TE", "trailers"),
    ] {
        let lines = format!("{name}: {value}\r\n");
        let (status, response) = scene.raw("GET", "/v1/users/me/profile", &lines).await;
        // An interim response to `Expect` may come first.
        assert!(
            response.contains("HTTP/1.1 200 OK"),
            "{vector} {name}: {status} {response}"
        );
        let received = scene.stage.sandbox.sandbox.received().pop().unwrap();
        let mut names: Vec<&str> = received.headers.keys().map(String::as_str).collect();
        names.sort_unstable();
        let ours = ["accept-encoding", "authorization", "host", "user-agent"];
        assert_eq!(names, ours, "{vector} {name}");
    }
}

#[tokio::test]
async fn legitimate_requests_pass() {
    let scene = Scene::new().await;
    for path in [
        "/v1/users/me/profile",
        "/gmail/v1/users/me/profile",
        "/v1/users/me/messages?maxResults=1&q=a.b%2F..%2Fc%20%26%20%23",
        "/v1/people/me/connections?personFields=names,emailAddresses",
        "/v1/people:searchContacts?query=&readMask=names",
        "/v1/otherContacts:search?query=&readMask=names",
    ] {
        let reply = scene.json(|request| request["path"] = json!(path)).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        let (status, response) = scene
            .raw(
                "GET",
                path,
                "Accept: application/json\r\nAccept-Language: en\r\n",
            )
            .await;
        assert_eq!(status, 200, "{path}: {response}");
    }
    let query = json!({ "q": "from:a&b=c", "labelIds": ["INBOX", "UNREAD"], "maxResults": 1, "includeSpamTrash": false });
    let reply = scene.json(|request| {
        request["path"] = json!("/v1/users/me/messages");
        request["query"] = query;
    });
    assert_eq!(reply.await.status, 200);
    let logged = scene.stage.sandbox.sandbox.received().pop().unwrap();
    assert!(
        logged
            .query
            .as_deref()
            .unwrap_or_default()
            .contains("labelIds=INBOX&labelIds=UNREAD"),
        "{logged:?}"
    );
}

#[tokio::test]
async fn the_products_own_refusals_are_passed_on() {
    let scene = Scene::new().await;
    let reply = scene
        .json(|request| request["path"] = json!("/v1/users/me/messages/nothing"))
        .await;
    assert_eq!(reply.status, 404);
    assert!(
        reply.json()["error"].is_object(),
        "the product's own shape: {}",
        reply.text()
    );
}

#[tokio::test]
async fn v57_a_redirect_is_not_followed() {
    let scene = Scene::new().await;
    let redirect = || {
        scene.stage.cause(json!({ "kind": "redirect", "location": format!("http://{}/steal", scene.canary.address) }));
    };
    redirect();
    let reply = scene.json(|_| {}).await;
    assert_eq!(reply.kind(), "upstream_redirect_blocked");
    // A redirect isn't followed with a body either, although some clients resend it.
    redirect();
    let written = |request: &mut Value| {
        request["method"] = json!("POST");
        request["path"] = json!("/v1/users/me/drafts");
        request["body"] = json!({ "message": { "raw": "canary" } });
    };
    assert_eq!(
        scene.json(written).await.kind(),
        "upstream_redirect_blocked"
    );
    redirect();
    let (status, response) = scene.raw("GET", "/v1/users/me/profile", "").await;
    assert_eq!(status, 502, "{response}");
    assert_eq!(scene.canary.heard.load(Ordering::SeqCst), 0);
}
