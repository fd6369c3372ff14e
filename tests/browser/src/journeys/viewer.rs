//! A member who may view pages but not change anything.

use anyhow::{Result, bail};

use crate::stage::Stage;

const PASSWORD: &str = "correct horse battery";

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.dev().await?;
    let browser = &stage.browser;
    let page = |path: &str| format!("{}/dashboard/{path}", service.url);
    browser.go(&page("settings/members/new")).await?;
    browser.fill("Email address", "vera@example.com").await?;
    browser.press("Invite").await?;
    let link = browser.text_of(".once code").await?;
    browser.go(&link).await?;
    stage.look("invitation").await?;
    browser.fill("Password", PASSWORD).await?;
    browser.press("Set password").await?;
    for path in [
        "",
        "connections",
        "accounts/mail/ada",
        "playground",
        "sandbox",
    ] {
        browser.go(&page(path)).await?;
        for button in [
            "New connection",
            "Suspend",
            "Run",
            "Connect a user",
            "Apply",
        ] {
            let found = format!(
                "return [...document.querySelectorAll('a, button')].some((one) => one.innerText.trim() === '{button}');"
            );
            if browser.evaluate(&found).await? == true {
                bail!("a viewer finds {button:?} at {path:?}");
            }
        }
    }
    browser.go(&page("connections/new/product")).await?;
    browser.sees("forbidden").await?;
    stage.look("refused").await
}
