//! Every page of a service that has data.

use anyhow::{Result, bail};

use crate::{stage::Stage, walk::walk};

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.dev().await?;
    let browser = &stage.browser;
    let home = browser.address().await?;
    // Creates a policy, because there is none at the start.
    browser
        .go(&format!("{}/dashboard/policies", service.url))
        .await?;
    browser.press("Create policy").await?;
    browser.sees("Only read requests are allowed.").await?;
    browser.go(&home).await?;
    let kinds = walk(stage, &service.url).await?;
    for expected in ["accounts-read", "policies-read", "policies-delete"] {
        if !kinds.contains(expected) {
            bail!("no page {expected}, only {kinds:?}");
        }
    }
    Ok(())
}
