//! Searches for planted secrets everywhere. It's a process of its own, because it searches the log of the whole
//! process.

#![expect(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a story ends where something is not as it should be"
)]
#![expect(
    dead_code,
    reason = "this story needs less of the stage than the others"
)]

mod browser;
mod clock;
mod http_client;
mod place;
mod products;
mod repeating;
mod stage;

use std::{
    io::Write,
    path::Path,
    sync::{Arc, Mutex, OnceLock},
};

use serde_json::json;
use stead_sandbox::{Fault, Sandbox};
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    browser::Browser,
    repeating::{OF_APIS, OF_TOKEN_ENDPOINTS, Repeating},
    stage::{ADA, Setting, Stage},
};

const TOKEN_MARKER: &str = "CANARYtoken7f3a";
const CLIENT_SECRET: &str = "CANARYsecret91bc";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The whole journey with every log level, and with faults, errors and a panic. Neither tokens nor secrets appear.
#[test]
fn planted_secrets_appear_nowhere() {
    let log = log();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let (seen, secrets, files) = runtime.block_on(journey());
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(
        log.contains("request to the product"),
        "the log is really on: {log}"
    );
    let planted = [TOKEN_MARKER, CLIENT_SECRET].map(String::from);
    check(&log, &seen, &files, secrets.into_iter().chain(planted));
}

/// The log of this process, from the first story on.
fn log() -> Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    let start = || {
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(log.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        log
    };
    LOG.get_or_init(start).clone()
}

/// Checks that no secret appears anywhere.
fn check(
    log: &str,
    seen: &[String],
    files: &[(String, Vec<u8>)],
    secrets: impl IntoIterator<Item = String>,
) {
    for secret in secrets {
        let secret = secret.as_str();
        assert!(!log.contains(secret), "{secret} is in the log");
        for text in seen {
            assert!(!text.contains(secret), "{secret} is in a response: {text}");
        }
        for (name, bytes) in files {
            assert!(
                !bytes
                    .windows(secret.len())
                    .any(|window| window == secret.as_bytes()),
                "{secret} is in {name}"
            );
        }
    }
}

/// Returns what applications and browsers saw, this run's secrets, and the database's files.
async fn journey() -> (Vec<String>, Vec<String>, Vec<(String, Vec<u8>)>) {
    let sandbox = Sandbox::new().with_token_marker(TOKEN_MARKER);
    sandbox.add_client(
        "canary-client.apps.googleusercontent.com",
        CLIENT_SECRET,
        &[],
    );
    let stage = Stage::set(Setting {
        sandbox,
        ..Setting::default()
    })
    .await;
    let new = json!({
        "connection_name": "planted",
        "product": "mail",
        "client_id": "canary-client.apps.googleusercontent.com",
        "client_secret": CLIENT_SECRET,
    });
    let mut seen = vec![stage.post("/v1/connections", &new).await.text()];
    let link = products::link(&stage, "planted", "user-1").await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    let back = stage.consent(&product, ADA, &["all"]);
    let (_, query) = back.split_once('?').unwrap();
    let of_callback = query
        .split('&')
        .filter(|pair| pair.starts_with("code=") || pair.starts_with("state="));
    let of_callback: Vec<_> = of_callback
        .map(|pair| pair.split_once('=').unwrap().1.to_owned())
        .collect();
    seen.push(browser.visit(&back).await.text());
    seen.push(browser.visit(&back).await.text());

    let call = async |tool: &str, input: serde_json::Value| {
        let body = json!({ "connection_name": "planted", "identifier": "user-1", "input": input });
        stage
            .post(&format!("/v1/tools/{tool}/execute"), &body)
            .await
            .text()
    };
    seen.push(call("mail_fetch_mails", json!({ "max_results": 3 })).await);
    seen.push(call("mail_fetch_mails", json!({ "max_results": 3000 })).await);
    stage.fault(Fault::ExpireAccessTokens { user: None });
    seen.push(call("mail_list_drafts", json!({})).await);
    stage.cause(json!({ "kind": "token_error", "error": "invalid_client", "status": 401 }));
    stage.fault(Fault::ExpireAccessTokens { user: None });
    seen.push(call("mail_list_drafts", json!({})).await);
    stage.cause(json!({ "kind": "not_json" }));
    seen.push(call("mail_list_drafts", json!({})).await);
    seen.push(
        stage
            .get("/proxy/planted/user-1/v1/users/me/profile")
            .await
            .text(),
    );
    seen.push(
        stage
            .get("/proxy/planted/user-1/v1/users/me/profile?access_token=x")
            .await
            .text(),
    );
    stage.fault(Fault::Revoke { user: None });
    seen.push(call("mail_list_drafts", json!({})).await);
    for path in [
        "/v1/connections",
        "/v1/accounts",
        "/v1/accounts/planted/user-1",
        "/v1/connections/planted",
    ] {
        seen.push(stage.get(path).await.text());
    }
    seen.push(format!("{:?}", stage.platform));
    let shown = format!("{:?} {:?}", stage.platform, stage.platform.environment());
    let panic = std::panic::catch_unwind(|| panic!("{shown}"));
    seen.push(
        panic
            .unwrap_err()
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_default(),
    );
    stage.platform.shut_down().await;

    let secret_of_link = link.rsplit('/').next().unwrap().to_owned();
    let files = files_below(stage.database.parent().unwrap());
    let mut secrets = of_callback;
    secrets.extend([
        stage.bearer.clone(),
        stage.client_secret.clone(),
        secret_of_link,
    ]);
    (seen, secrets, files)
}

/// Every file in a folder and its subfolders, such as the spool.
fn files_below(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            let content = std::fs::read(&path).unwrap();
            files.push((path.display().to_string(), content));
        }
    }
    files
}

/// Token endpoints, revocation endpoints and products echo their requests. No part of that appears in a response, an
/// event, a page or the log.
#[test]
fn a_secret_that_a_product_repeats_appears_nowhere() {
    let log = log();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let (seen, secrets, files) = runtime.block_on(repeated());
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    let kinds = ["server_error", "you sent", "revoked at the product"];
    for said in kinds {
        assert!(log.contains(said), "products are really quoted: {said}");
    }
    let cut: Vec<_> = secrets
        .iter()
        .filter_map(|secret| secret.get(..24))
        .collect();
    let cut: Vec<_> = cut
        .into_iter()
        .filter(|cut| cut.contains(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect();
    check(&log, &seen, &files, secrets.iter().cloned().chain(cut));
}

/// A path of the product's API that the proxy lets through.
fn path(product: &str) -> &'static str {
    match product {
        "workspace" => "/v1/users/me",
        "mail" => "/v1/users/me/profile",
        "warehouse" => "/api/v2/statements",
        "calendar" => "/calendar/v3/users/me/calendarList",
        "sheets" => "/v4/spreadsheets",
        _ => "/drive/v3/files",
    }
}

async fn repeated() -> (Vec<String>, Vec<String>, Vec<(String, Vec<u8>)>) {
    let network = Arc::new(Repeating::new());
    let stage = Stage::set(Setting {
        transport: Some(Arc::clone(&network) as _),
        ..Setting::default()
    })
    .await;
    let mut seen = Vec::new();
    for product in stead::products::PRODUCTS {
        let name = product.name;
        if name != "mail" {
            products::create(&stage, name).await;
        }
        for (shape, user) in OF_TOKEN_ENDPOINTS.into_iter().zip(["a", "b", "c", "d"]) {
            // Echoes the code, its verifier and the client's secret.
            let link = products::link(&stage, name, user).await;
            let mut browser = Browser::new();
            let at_product = browser.open(&link).await;
            let back = stage.consent(&at_product, ADA, &["all"]);
            network.repeat(400, shape);
            seen.push(browser.visit(&back).await.text());
            assert_eq!(network.stop(), 1, "{name}: {}", seen[seen.len() - 1]);
            // Echoes the refresh token.
            let link = products::link(&stage, name, user).await;
            let done = Browser::new().connect(&stage, &link, ADA).await;
            assert_eq!(done.status, 200, "{name}: {}", done.text());
            network.repeat(400, shape);
            let path = format!("/v1/accounts/{name}/{user}/refresh");
            seen.push(stage.post(&path, &json!({})).await.text());
            assert_eq!(network.stop(), 1, "{name}: {}", seen[seen.len() - 1]);
            let path = format!("/v1/accounts/{name}/{user}");
            seen.push(stage.get(&path).await.text());
            // Echoes the token that is revoked.
            network.repeat(400, shape);
            seen.push(
                stage
                    .delete(&format!("{path}?revoke_at_product=true"))
                    .await
                    .text(),
            );
            stage.platform.environment().maintain().await.unwrap();
            let asked = usize::from(product.oauth.revoke.is_some());
            network.until(asked).await;
            network.stop();
        }
        // Echoes the access token.
        let link = products::link(&stage, name, "user-1").await;
        let done = Browser::new().connect(&stage, &link, ADA).await;
        assert_eq!(done.status, 200, "{name}: {}", done.text());
        for shape in OF_APIS {
            for (status, method) in [(400, "GET"), (404, "POST"), (500, "POST")] {
                network.repeat(status, shape);
                let test = &product.test_calls[0];
                let input: serde_json::Value = serde_json::from_str(test.input).unwrap();
                let called =
                    json!({ "connection_name": name, "identifier": "user-1", "input": input });
                if status < 500 {
                    let path = format!("/v1/tools/{}/execute", test.tool);
                    seen.push(stage.post(&path, &called).await.text());
                }
                let raw_path = path(name);
                let raw = json!({ "connection_name": name, "identifier": "user-1", "method": method, "path": raw_path });
                let reply = stage.post("/v1/proxy", &raw).await;
                assert_eq!(reply.status, status, "{}", reply.text());
                assert!(reply.text().contains("you sent"), "{}", reply.text());
                seen.push(format!("{:?} {}", reply.headers, reply.text()));
                seen.push(
                    stage
                        .get(&format!("/proxy/{name}/user-1{raw_path}"))
                        .await
                        .text(),
                );
                assert!(network.stop() >= 2, "{name}");
            }
        }
    }
    for path in [
        "/v1/events?limit=100",
        "/v1/executions?page_size=100",
        "/v1/connections",
        "/v1/accounts",
    ] {
        let reply = stage.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        seen.push(reply.text());
    }
    stage.platform.shut_down().await;
    let files = files_below(stage.database.parent().unwrap());
    (seen, network.secrets(), files)
}
