//! An operator sets up a connection for each product, tests it with an own account, and cleans up.

use anyhow::{Context as _, Result};

use crate::stage::Stage;

/// A product as the pages name it, and the sandbox's OAuth client for it.
struct Product {
    name: &'static str,
    title: &'static str,
    client_id: &'static str,
    /// The label and value of the field for the account, if the product has one.
    account: Option<(&'static str, &'static str)>,
}

const fn google(name: &'static str, title: &'static str) -> Product {
    Product {
        name,
        title,
        client_id: "sandbox-client.apps.googleusercontent.com",
        account: None,
    }
}

const PRODUCTS: [Product; 6] = [
    google("mail", "Gmail"),
    google("calendar", "Google Calendar"),
    google("drive", "Google Drive"),
    google("sheets", "Google Sheets"),
    Product {
        name: "workspace",
        title: "Notion",
        client_id: "sandbox-workspace-client",
        account: None,
    },
    Product {
        name: "warehouse",
        title: "Snowflake",
        client_id: "sandbox-warehouse-client",
        account: Some(("Account", "sandbox-acme")),
    },
];
const CLIENT_SECRET: &str = "sandbox-secret";

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.dev().await?;
    for product in &PRODUCTS {
        let home = format!("{}/dashboard", service.url);
        stage.browser.go(&home).await?;
        one(stage, product).await.context(product.title)?;
    }
    Ok(())
}

async fn one(stage: &Stage<'_>, product: &Product) -> Result<()> {
    let browser = &stage.browser;
    // Pictures of one product are enough.
    let look = |name: &'static str| async move {
        match product.name {
            "mail" => stage.look(name).await,
            _ => Ok(()),
        }
    };
    browser.press("Connections").await?;
    browser.press("New connection").await?;
    look("choose").await?;
    browser.press_in(".choices", product.title).await?;
    browser
        .fill("Name", &format!("my-{}", product.name))
        .await?;
    if let Some((label, account)) = product.account {
        browser.fill(label, account).await?;
    }
    look("name").await?;
    browser.press("Create connection").await?;
    browser.sees("Copy the redirect URI").await?;
    stage.look(&format!("set-up-{}", product.name)).await?;
    browser.fill("Client ID", product.client_id).await?;
    browser.fill("Client secret", CLIENT_SECRET).await?;
    browser.press("Save").await?;
    browser.sees("The connection is ready.").await?;
    look("ready").await?;
    browser.press("Test connection").await?;
    browser
        .press(&format!("Consent at {}", product.title))
        .await?;
    browser
        .press(&format!("Continue to {}", product.title))
        .await?;
    browser.press("Allow").await?;
    browser.press("Run the test call").await?;
    browser.sees("The connection works").await?;
    look("tested").await?;
    browser.press("Disconnect the test account").await?;
    browser.sees("Test account disconnected.").await
}
