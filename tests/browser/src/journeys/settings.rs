//! An owner makes a credential and revokes it, invites a member, and verifies the audit log.

use anyhow::Result;

use crate::stage::Stage;

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let _service = stage.dev().await?;
    let browser = &stage.browser;
    browser.press("Settings").await?;
    browser.press("Credentials").await?;
    browser.press("New credential").await?;
    browser.fill("Name", "billing").await?;
    browser.press("Make the credential").await?;
    browser.sees("It is shown only here.").await?;
    stage.look("secret").await?;
    browser.press("I have copied it").await?;
    browser.sees("Only their digests are kept.").await?;
    browser.press("Revoke").await?;
    browser.sees("This cannot be undone.").await?;
    browser.press("Revoke the credential").await?;
    browser.sees("The credential was revoked").await?;
    browser.press("Members").await?;
    browser.press("Invite a member").await?;
    browser.fill("E-mail address", "grace@example.com").await?;
    browser.press("Invite").await?;
    browser.sees("It is shown only here.").await?;
    stage.look("invitation").await?;
    browser.press("I have copied it").await?;
    browser.sees("Invited").await?;
    browser.press("Settings").await?;
    browser.press("Audit log").await?;
    browser.press("Verify the log").await?;
    browser.press("Verify now").await?;
    browser.sees("entries, unbroken.").await?;
    stage.look("verified").await
}
