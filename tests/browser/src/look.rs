//! Checks a page in light and dark, narrow and wide, for faults that no page may have.

use std::fs;

use anyhow::{Context as _, Result};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::stage::Stage;

const WIDTHS: [u32; 2] = [1440, 375];
const SCHEMES: [&str; 2] = ["light", "dark"];
/// The most bytes of a page of the service, with everything that it loads.
pub(crate) const LIMIT: u64 = 100_000;
/// The bytes that a page has loaded, the addresses of other origins, and blocked requests.
const LOADED: &str = "const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
return {
  bytes: all.filter((one) => one.initiatorType !== 'fetch').reduce((sum, one) => sum + one.transferSize, 0),
  elsewhere: all.map((one) => one.name).filter((name) => new URL(name).origin !== location.origin && !name.startsWith('data:')),
  refused: window.refused || [],
};";
/// The elements that are wider than the page.
const WIDER: &str = "const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= width) return [];
const wide = [...document.querySelectorAll('body *')].filter((one) => {
  if (one.getBoundingClientRect().right <= width + 1) return false;
  for (let above = one.parentElement; above; above = above.parentElement) if (getComputedStyle(above).overflowX !== 'visible') return false;
  return true;
});
const names = wide.slice(0, 3).map((one) => one.tagName.toLowerCase() + '.' + one.className);
return names.length ? names : ['something that is positioned'];";
const AXE: &str = "const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ['violations'] }).then(
  (result) => done(result.violations.map((one) => one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', '))),
  (error) => done(['axe: ' + error]));";

/// Checks the open page in every width and scheme, and returns a line for each fault. With everything that it loads,
/// the page may have at most `limit` bytes.
pub(crate) async fn look(stage: &Stage<'_>, name: &str, limit: u64) -> Result<Vec<String>> {
    let mut faults = of_loading(stage, name, limit).await?;
    for width in WIDTHS {
        for scheme in SCHEMES {
            shape(stage, width, scheme).await?;
            let what = format!("{name} at {width} px, {scheme}");
            let wider = stage.browser.evaluate(WIDER).await?;
            let wider = wider.as_array().cloned().unwrap_or_default();
            if !wider.is_empty() {
                faults.push(format!(
                    "{what}: wider than the page: {}",
                    Value::Array(wider)
                ));
            }
            if let Some(axe) = &stage.settings.axe {
                stage
                    .browser
                    .evaluate(&format!("if (!window.axe) {{ {axe} }}"))
                    .await?;
                let found = stage.browser.evaluate_later(AXE).await?;
                let found = found.as_array().cloned().unwrap_or_default();
                faults.extend(found.iter().map(|one| format!("{what}: {one}")));
            }
            picture(stage, &format!("{name}-{width}-{scheme}")).await?;
        }
    }
    shape(stage, WIDTHS[0], SCHEMES[0]).await?;
    Ok(faults)
}

/// The faults of what the page has loaded.
async fn of_loading(stage: &Stage<'_>, name: &str, limit: u64) -> Result<Vec<String>> {
    let loaded = stage.browser.evaluate(LOADED).await?;
    let mut faults = Vec::new();
    let bytes = loaded["bytes"].as_u64().unwrap_or(u64::MAX);
    if bytes > limit {
        faults.push(format!("{name}: {bytes} bytes, more than {limit}"));
    }
    for member in ["elsewhere", "refused"] {
        for one in loaded[member].as_array().into_iter().flatten() {
            faults.push(format!("{name}: {member}: {one}"));
        }
    }
    Ok(faults)
}

/// Sets the width and the color scheme of the window.
async fn shape(stage: &Stage<'_>, width: u32, scheme: &str) -> Result<()> {
    let size =
        json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 });
    stage
        .browser
        .tell("Emulation.setDeviceMetricsOverride", size)
        .await?;
    // Without motion, because colors change gradually between two schemes.
    let media = json!({ "features": [
        { "name": "prefers-color-scheme", "value": scheme },
        { "name": "prefers-reduced-motion", "value": "reduce" },
    ] });
    stage
        .browser
        .tell("Emulation.setEmulatedMedia", media)
        .await?;
    Ok(())
}

/// Saves a picture of the whole page, if there's a folder for pictures.
pub(crate) async fn picture(stage: &Stage<'_>, name: &str) -> Result<()> {
    let Some(folder) = &stage.settings.screenshots else {
        return Ok(());
    };
    let folder = folder.join(stage.name);
    fs::create_dir_all(&folder)?;
    let how = json!({ "format": "png", "captureBeyondViewport": true });
    let taken = stage.browser.tell("Page.captureScreenshot", how).await?;
    let png = STANDARD.decode(taken["data"].as_str().context("no picture")?)?;
    fs::write(folder.join(format!("{name}.png")), png)?;
    Ok(())
}
