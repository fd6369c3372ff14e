//! An empty service gets its first owner.

use anyhow::Result;

use crate::{service::FIRST_OWNER as EMAIL, stage::Stage};

const PASSWORD: &str = "correct horse battery";

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.serve().await?;
    let browser = &stage.browser;
    browser.go(service.fact("invitation")?).await?;
    stage.look("invitation").await?;
    browser.fill("Password", PASSWORD).await?;
    browser.press("Set the password").await?;
    browser.sees("The way to the first call").await?;
    stage.look("home").await?;
    browser.press("Sign out").await?;
    browser.go(&format!("{}/dashboard", service.url)).await?;
    stage.look("sign-in").await?;
    browser.fill("E-mail address", EMAIL).await?;
    browser.fill("Password", "something else").await?;
    browser.press("Sign in").await?;
    stage.look("refused").await?;
    browser.fill("E-mail address", EMAIL).await?;
    browser.fill("Password", PASSWORD).await?;
    browser.press("Sign in").await?;
    browser.sees("The way to the first call").await
}
