//! The first steps of someone who tries Stead.

use anyhow::Result;

use crate::stage::Stage;

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.dev().await?;
    let browser = &stage.browser;
    browser.press_in("#try-mail", "Show unread mails").await?;
    browser.sees("Result as JSON").await?;
    stage.look("ran").await?;
    // Connects a new user: the name, the link, the requested permissions, and the product's
    // consent.
    let connect = "accounts/connect?connection_name=mail";
    browser
        .go(&format!("{}/dashboard/{connect}", service.url))
        .await?;
    browser.fill("User", "grace").await?;
    browser.press("Create link").await?;
    let link = browser.text_of(".code code, .copy code").await?;
    browser.go(&link).await?;
    stage.look("connect").await?;
    browser.press("Continue to Gmail").await?;
    stage.look("consent").await?;
    browser.press("Allow").await?;
    browser.sees("connected").await?;
    stage.look("done").await
}
