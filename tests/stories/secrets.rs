//! A planted secret is looked for everywhere. A process of its own: the log of a whole process is searched.

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
mod stage;

use std::{
    io::Write,
    path::Path,
    sync::{Arc, Mutex},
};

use serde_json::json;
use stead_sandbox::{Fault, Sandbox};
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    browser::Browser,
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

/// The whole journey with every level of log on, with faults, errors and a panic: neither the tokens nor the secrets appear.
#[test]
fn planted_secrets_appear_nowhere() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
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
    for secret in secrets
        .iter()
        .map(String::as_str)
        .chain([TOKEN_MARKER, CLIENT_SECRET])
    {
        assert!(!log.contains(secret), "{secret} is in the log");
        for text in &seen {
            assert!(!text.contains(secret), "{secret} is in a response: {text}");
        }
        for (name, bytes) in &files {
            assert!(
                !bytes
                    .windows(secret.len())
                    .any(|window| window == secret.as_bytes()),
                "{secret} is in {name}"
            );
        }
    }
}

/// What applications and browsers saw, secrets of this run, and the database's files.
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
    let link = stage
        .post(
            "/v1/authorization-links",
            &json!({ "connection_name": "planted", "identifier": "user-1" }),
        )
        .await
        .json();
    let link = link["link"].as_str().unwrap().to_owned();
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
    stage.fault(Fault::TokenError {
        error: String::from("invalid_client"),
        status: 401,
        times: 1,
    });
    stage.fault(Fault::ExpireAccessTokens { user: None });
    seen.push(call("mail_list_drafts", json!({})).await);
    stage.fault(Fault::NotJson {
        host: None,
        path_contains: None,
        times: 1,
    });
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

/// Every file of a folder and of those in it, such as the spool.
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
