//! Every page of a service that has something to show.

use anyhow::{Result, bail};

use crate::{stage::Stage, walk::walk};

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let service = stage.dev().await?;
    let kinds = walk(stage, &service.url).await?;
    if kinds.len() < 5 {
        bail!("only {kinds:?} were found");
    }
    Ok(())
}
