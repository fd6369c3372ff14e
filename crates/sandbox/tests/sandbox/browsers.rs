//! Browsers: other sites' pages are refused, people and clients are not.

use reqwest::{Method, header::HOST};

use crate::client::{Reply, Stage};

const LOG: &str = "/sandbox/log";
const RESET: &str = "/sandbox/reset";
const TOKEN: &str = "/oauth2.googleapis.com/token";
const CONSENT: &str = "/accounts.google.com/o/oauth2/v2/auth";

impl Stage {
    async fn as_browser(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut request = self.http.request(method, self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request).await
    }
}

#[tokio::test]
async fn a_page_of_another_site_changes_nothing_and_reads_nothing() {
    let stage = Stage::new().await;
    let other_port = stage.running.url.clone() + "0";
    for headers in [
        &[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ][..],
        &[
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-mode", "no-cors"),
        ],
        &[("sec-fetch-site", "cross-site"), ("origin", "null")],
        &[("origin", "https://evil.example")],
        &[("origin", &other_port)],
        &[("origin", "null")],
    ] {
        for path in [
            RESET,
            "/sandbox/faults",
            "/sandbox/records",
            "/sandbox/records/delete",
            TOKEN,
            CONSENT,
        ] {
            let reply = stage.as_browser(Method::POST, path, headers).await;
            assert_eq!(reply.status, 403, "{path} {headers:?} {}", reply.text);
            assert!(reply.json()["error"].is_string());
        }
    }
    let read = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "no-cors"),
    ];
    assert_eq!(stage.as_browser(Method::GET, LOG, &read).await.status, 403);
    for host in [
        "rebound.example",
        "127.0.0.1.rebound.example",
        "localhost.rebound.example.",
        "a b",
    ] {
        for path in [LOG, "/", "/gmail.googleapis.com/gmail/v1/users/me/profile"] {
            let reply = stage
                .as_browser(Method::GET, path, &[(HOST.as_str(), host)])
                .await;
            assert_eq!(reply.status, 403, "{host} {path} {}", reply.text);
        }
    }
    assert_eq!(
        stage.sandbox().received().len(),
        0,
        "none of them is a product's request"
    );
}

#[tokio::test]
async fn people_clients_and_the_sandboxs_own_pages_are_not_refused() {
    let stage = Stage::new().await;
    let own = stage.running.url.clone();
    for headers in [
        &[][..],
        &[("sec-fetch-site", "same-origin"), ("origin", "null")],
        &[("sec-fetch-site", "same-origin"), ("origin", &own)],
        &[("origin", &own)],
        // A client on Node.js.
        &[("sec-fetch-mode", "cors")],
    ] {
        let reply = stage.as_browser(Method::POST, RESET, headers).await;
        assert_eq!(reply.status, 204, "{headers:?}");
    }
    for site in ["none", "same-site", "cross-site"] {
        let headers = [("sec-fetch-site", site), ("sec-fetch-mode", "navigate")];
        for path in [LOG, CONSENT] {
            let reply = stage.as_browser(Method::GET, path, &headers).await;
            assert_ne!(reply.status, 403, "{site} {path}");
        }
    }
    for host in [
        "localhost:1",
        "LOCALHOST",
        "[::1]:8485",
        "192.0.2.1",
        "sandbox",
        "host.docker.internal",
        "a.localhost.",
    ] {
        let reply = stage
            .as_browser(Method::GET, LOG, &[(HOST.as_str(), host)])
            .await;
        assert_eq!(reply.status, 200, "{host}");
    }
}
