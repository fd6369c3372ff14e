//! An account breaks because its user revoked the permission at the product, and the user connects it again.

use anyhow::Result;

use crate::stage::Stage;

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.dev().await?;
    let browser = &stage.browser;
    let page = |path: &str| format!("{}/dashboard/{path}", service.url);
    browser.go(&page("sandbox?user=ada")).await?;
    stage.look("sandbox").await?;
    browser.press("Apply: Users withdraw consent").await?;
    browser.sees("Fault set.").await?;
    let tool = "playground?connection_name=mail&identifier=ada&tool=mail_fetch_mails";
    browser.go(&page(tool)).await?;
    browser.press("Run").await?;
    browser.sees("Who needs to act").await?;
    stage.look("failed").await?;
    browser.go(&page("accounts/mail/ada")).await?;
    stage.look("broken").await?;
    browser.press("New link").await?;
    stage.look("link").await?;
    let link = browser.text_of(".code code, .copy code").await?;
    browser.go(&link).await?;
    browser.press("Continue to Gmail").await?;
    browser.press("Allow").await?;
    browser.sees("connected").await?;
    browser.go(&page("accounts/mail/ada")).await?;
    browser.sees("Active").await?;
    stage.look("repaired").await?;
    browser.go(&page(tool)).await?;
    browser.press("Run").await?;
    browser.sees("Result as JSON").await
}
