//! The README's two pictures: the start page of `stead dev` after a first call, light and dark.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;

use crate::stage::Stage;

/// Writes `dashboard-light.png` and `dashboard-dark.png`.
pub(crate) async fn pictures(stage: &Stage<'_>, folder: &Path) -> Result<()> {
    let _service = stage.dev().await?;
    let browser = &stage.browser;
    browser.press_in("#try-mail", "Show unread mails").await?;
    browser.sees("Result as JSON").await?;
    let size = json!({ "width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false });
    browser
        .tell("Emulation.setDeviceMetricsOverride", size)
        .await?;
    for scheme in ["light", "dark"] {
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.tell("Emulation.setEmulatedMedia", media).await?;
        let taken = browser
            .tell("Page.captureScreenshot", json!({ "format": "png" }))
            .await?;
        let png = STANDARD.decode(taken["data"].as_str().context("no picture")?)?;
        fs::write(folder.join(format!("dashboard-{scheme}.png")), png)?;
    }
    Ok(())
}
