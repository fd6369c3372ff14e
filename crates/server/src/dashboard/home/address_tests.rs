//! Home's notices for operators.

use std::sync::Arc;

use serde_json::json;
use stead::{NewConnection, TokioRuntime};
use stead_core::{environment::Verification, store::MemoryStore};

use crate::{
    dashboard::tests::Browser,
    testing::{TestService, json_response},
};

#[tokio::test]
async fn a_changed_public_url_lists_redirect_uris_to_register_until_accepted() {
    let runtime = Arc::new(TokioRuntime::current().unwrap());
    let store = Arc::new(MemoryStore::new(runtime));
    let at = async |public_url: &str| {
        let store = Arc::clone(&store);
        TestService::open_with(
            public_url,
            Verification::LinkPossession,
            |_| json_response(&json!({})),
            |builder| builder.store(store),
        )
        .await
    };
    let before = at("https://stead.example.com").await;
    let new = NewConnection::mail("mail");
    before.platform.connections().create(new).await.unwrap();
    let service = at("http://127.0.0.1").await;
    let platform = service.platform.clone();
    let uri = platform
        .connections()
        .read("mail")
        .await
        .unwrap()
        .redirect_uri;
    let browser = Browser::new(service);
    let shown = async || {
        browser
            .get("/dashboard")
            .await
            .text()
            .replace("&#x2f;", "/")
    };
    let home = shown().await;
    assert!(home.contains("https://stead.example.com before"), "{home}");
    assert!(home.contains(&uri), "{home}");
    platform.environment().accept_public_url().await.unwrap();
    let home = shown().await;
    assert!(!home.contains("https://stead.example.com"), "{home}");
}
