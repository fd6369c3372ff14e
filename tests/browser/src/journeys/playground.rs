//! A developer tries a tool as a user, first without sending anything.

use anyhow::Result;

use crate::stage::Stage;

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.dev().await?;
    let browser = &stage.browser;
    let tool = format!(
        "{}/dashboard/playground?connection_name=mail&identifier=ada&tool=mail_fetch_mails",
        service.url
    );
    browser.go(&tool).await?;
    stage.look("form").await?;
    browser.press("Dry run").await?;
    browser.sees("Nothing changed").await?;
    stage.look("dry-run").await?;
    browser.press("Run").await?;
    browser.sees("Result as JSON").await?;
    stage.look("ran").await?;
    browser.press("Edit as JSON").await?;
    browser
        .fill("Input (JSON)", "{ \"max_results\": 0 }")
        .await?;
    browser.press("Run").await?;
    browser.sees("max_results").await?;
    stage.look("refused").await?;
    browser.press("Raw request").await?;
    stage.look("raw").await
}
