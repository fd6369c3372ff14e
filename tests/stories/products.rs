//! Connections to all six products, through the sandbox.

use serde_json::json;
use stead_sandbox::{
    CLIENT_ID, CLIENT_SECRET, WAREHOUSE_ACCOUNT, WAREHOUSE_CLIENT_ID, WAREHOUSE_CLIENT_SECRET,
    WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET,
};

use crate::{
    browser::Browser,
    stage::{ADA, Stage},
};

/// Creates a connection with the sandbox's client of the product, and connects Ada's account through it.
pub async fn connect(stage: &Stage, product: &str) {
    create(stage, product).await;
    let link = link(stage, product, "user-1").await;
    let done = Browser::new().connect(stage, &link, ADA).await;
    assert_eq!(done.status, 200, "{product}: {}", done.text());
}

/// A link to connect a user of the application.
pub async fn link(stage: &Stage, connection: &str, identifier: &str) -> String {
    let link = json!({ "connection_name": connection, "identifier": identifier });
    let link = stage.post("/v1/authorization-links", &link).await.json();
    link["link"].as_str().unwrap().to_owned()
}

/// Creates a connection with the sandbox's client of the product.
pub async fn create(stage: &Stage, product: &str) {
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
    if product == "drive" {
        new["permissions"] = json!(["read", "files"]);
    }
    let created = stage.post("/v1/connections", &new).await;
    assert_eq!(created.json()["state"], "ready", "{}", created.text());
}
