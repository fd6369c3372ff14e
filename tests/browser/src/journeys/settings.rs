//! An owner creates a credential, rotates its secret and revokes it, invites a member, and verifies the audit log.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::{browser::Browser, stage::Stage};

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let _service = stage.dev().await?;
    let browser = &stage.browser;
    browser.press("Settings").await?;
    browser.press("Credentials").await?;
    browser.press("New credential").await?;
    browser.fill("Name", "billing").await?;
    browser.press("Create credential").await?;
    browser.sees("You won’t see it again.").await?;
    stage.look("secret").await?;
    let first = shown(browser).await?;
    browser.press("I’ve copied it").await?;
    browser.sees("Stead stores only hashes of them.").await?;
    browser.press("Rotate secret").await?;
    browser.sees("Both work for a while").await?;
    stage.look("rotate").await?;
    browser.press("Create new secret").await?;
    browser.sees("New secret created").await?;
    stage.look("rotated").await?;
    let second = shown(browser).await?;
    ensure!(first != second, "the secret was not rotated");
    for shown in [&first, &second] {
        ensure!(gives_a_token(browser, shown).await?, "a secret is refused");
    }
    browser.press("I’ve copied it").await?;
    browser.press("Revoke").await?;
    browser.sees("You can’t undo this.").await?;
    browser.press("Revoke credential").await?;
    browser.sees("Credential revoked").await?;
    for shown in [&first, &second] {
        let gives = gives_a_token(browser, shown).await?;
        ensure!(!gives, "a secret of a revoked credential is taken");
    }
    browser.press("Members").await?;
    browser.press("Invite a member").await?;
    browser.fill("Email address", "grace@example.com").await?;
    browser.press("Invite").await?;
    browser.sees("You won’t see it again.").await?;
    stage.look("invitation").await?;
    browser.press("I’ve copied it").await?;
    browser.sees("Invited").await?;
    browser.press("Settings").await?;
    browser.press("Audit log").await?;
    browser.press("Verify log").await?;
    browser.press("Verify now").await?;
    browser.sees("entries verified.").await?;
    stage.look("verified").await
}

/// The client ID and the secret that the page shows, in this order.
async fn shown(browser: &Browser) -> Result<Vec<String>> {
    let shown =
        "return [...document.querySelectorAll('.once code')].map(code => code.textContent);";
    let shown: Vec<String> = serde_json::from_value(browser.evaluate(shown).await?)?;
    ensure!(
        shown.len() == 2,
        "a client id and a secret: {}",
        shown.len()
    );
    Ok(shown)
}

/// Whether the service issues a token for a client ID and its secret.
async fn gives_a_token(browser: &Browser, shown: &[String]) -> Result<bool> {
    let [client_id, client_secret] = shown else {
        return Ok(false);
    };
    let script = format!(
        "const done = arguments[arguments.length - 1];
        const body = new URLSearchParams({{
            grant_type: 'client_credentials', client_id: {}, client_secret: {},
        }});
        fetch('/oauth/token', {{ method: 'POST', credentials: 'omit', body }}).then(response => done(response.status), () => done(0));",
        Value::from(client_id.as_str()),
        Value::from(client_secret.as_str()),
    );
    let status = browser.evaluate_later(&script).await?;
    let status = status.as_u64().context("no status")?;
    ensure!([200, 401].contains(&status), "{status}");
    Ok(status == 200)
}
