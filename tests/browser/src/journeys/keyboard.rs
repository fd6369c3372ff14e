//! A journey without a mouse: tab and enter.

use anyhow::{Result, bail};
use thirtyfour::Key;

use crate::{browser::Browser, stage::Stage};

/// The most presses of the tab key on the way to an element.
const MOST: usize = 120;
const FOCUSED: &str = "const one = document.activeElement;
return (one.getAttribute('aria-label') || (one.labels && one.labels[0] && one.labels[0].innerText) || one.innerText || '').trim();";

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let _service = stage.dev().await?;
    let browser = &stage.browser;
    reach(browser, "Show unread mails").await?;
    browser.key(Key::Enter).await?;
    browser.sees("Result as JSON").await?;
    Ok(())
}

/// Presses the tab key until the focused element has this name.
pub(super) async fn reach(browser: &Browser, name: &str) -> Result<()> {
    let mut passed = Vec::new();
    for _ in 0..MOST {
        browser.key(Key::Tab).await?;
        let focused = browser.evaluate(FOCUSED).await?;
        let focused = focused.as_str().unwrap_or_default();
        if focused == name {
            return Ok(());
        }
        passed.push(focused.chars().take(30).collect::<String>());
    }
    bail!(
        "the tab key does not reach {name:?}, but {}",
        passed.join(" · ")
    )
}
