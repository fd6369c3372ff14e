//! An empty service gets its first owner.

use anyhow::{Context as _, Result, ensure};

use crate::{service::FIRST_OWNER as EMAIL, stage::Stage};

const PASSWORD: &str = "correct horse battery";

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.serve().await?;
    let browser = &stage.browser;
    browser.go(service.fact("invitation")?).await?;
    stage.look("invitation").await?;
    browser.fill("Password", PASSWORD).await?;
    browser.press("Set password").await?;
    browser.sees("Get started").await?;
    stage.look("home").await?;
    let commands = "return [...document.querySelectorAll('#steps [data-copy]')].map((one) => one.dataset.copy);";
    let commands = browser.evaluate(commands).await?;
    let commands = commands.as_array().context("no commands")?;
    ensure!(!commands.is_empty(), "the steps have no command");
    for command in commands {
        let command = command.as_str().unwrap_or_default();
        let arguments: Vec<&str> = command.split(' ').skip(1).collect();
        let output = service.output(&arguments).await?;
        // Exit code 2 means that the command line is wrong.
        ensure!(output.status.code() != Some(2), "{command}: {output:?}");
    }
    browser.press("Sign out").await?;
    browser.go(&format!("{}/dashboard", service.url)).await?;
    stage.look("sign-in").await?;
    browser.fill("Email address", EMAIL).await?;
    browser.fill("Password", "something else").await?;
    browser.press("Sign in").await?;
    stage.look("refused").await?;
    browser.fill("Email address", EMAIL).await?;
    browser.fill("Password", PASSWORD).await?;
    browser.press("Sign in").await?;
    browser.sees("Get started").await
}
