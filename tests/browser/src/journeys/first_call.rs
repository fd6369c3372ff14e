//! What somebody does who tries Stead for the first time.

use anyhow::Result;

use crate::stage::Stage;

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let _service = stage.dev().await?;
    let browser = &stage.browser;
    // 1: Connect; 2: what is asked for; 3: the product's consent; 4: back; 5: run.
    browser.press_in("#try-mail", "Connect as Ada").await?;
    browser.last_tab().await?;
    stage.look("connect").await?;
    browser.press("Continue to Gmail").await?;
    stage.look("consent").await?;
    browser.press("Allow").await?;
    browser.sees("connected").await?;
    stage.look("done").await?;
    browser.close_tab().await?;
    browser.press_in("#try-mail", "Show unread mails").await?;
    browser.sees("Result as JSON").await?;
    stage.look("ran").await
}
