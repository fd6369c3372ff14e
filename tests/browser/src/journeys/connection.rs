//! What an operator does for a product: sets a connection up, tests it with an account of their own, and cleans up.

use anyhow::Result;

use crate::stage::Stage;

/// The sandbox's OAuth client.
const CLIENT_ID: &str = "sandbox-client.apps.googleusercontent.com";
const CLIENT_SECRET: &str = "sandbox-secret";

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let _service = stage.dev().await?;
    let browser = &stage.browser;
    browser.press("Connections").await?;
    browser.press("New connection").await?;
    stage.look("choose").await?;
    browser.press("Gmail").await?;
    browser.fill("Name", "support").await?;
    stage.look("name").await?;
    browser.press("Create the connection").await?;
    stage.look("set-up").await?;
    browser.fill("Client id", CLIENT_ID).await?;
    browser.fill("Client secret", CLIENT_SECRET).await?;
    browser.press("Save").await?;
    browser.sees("The connection is ready.").await?;
    stage.look("ready").await?;
    browser.press("Test connection").await?;
    browser.press("Consent at Gmail").await?;
    browser.press("Continue to Gmail").await?;
    browser.press("Allow").await?;
    browser.press("It was me: make the call").await?;
    browser.sees("The connection works").await?;
    stage.look("tested").await?;
    browser.press("Disconnect the test account").await?;
    browser.sees("The test account is disconnected.").await?;
    Ok(())
}
