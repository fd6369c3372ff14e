//! Sends an event to the application again.

use anyhow::Result;

use crate::stage::Stage;

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.dev().await?;
    let browser = &stage.browser;
    let webhooks = format!("{}/dashboard/settings/webhooks", service.url);
    browser.go(&webhooks).await?;
    stage.look("webhooks").await?;
    let first = "return document.querySelector('main table tbody a').href;";
    let first = browser.evaluate(first).await?;
    browser.go(first.as_str().unwrap_or_default()).await?;
    stage.look("deliveries").await?;
    browser.press("Send test").await?;
    browser.sees("Test event sent.").await?;
    browser
        .evaluate("document.querySelector('#since').value = '2026-01-01T00:00';")
        .await?;
    browser.press("Send events again").await?;
    browser.sees("Stead sends the events again").await?;
    stage.look("replayed").await?;
    browser.press("Rotate secret").await?;
    stage.look("rotate").await
}
