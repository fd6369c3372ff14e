//! A browser, as a person uses it: pressing, filling in and seeing.

use std::{process::Stdio, time::Duration};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use thirtyfour::{
    By, ChromiumLikeCapabilities as _, DesiredCapabilities, Key, WebDriver, WebElement,
    error::{WebDriverError, WebDriverErrorInner},
    extensions::query::ElementQueryable as _,
};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

/// The longest wait for something to appear on a page.
const PATIENCE: Duration = Duration::from_secs(20);
const INTERVAL: Duration = Duration::from_millis(50);
/// Records what a page's security policy blocked, and what failed.
const LISTENER: &str = "window.refused = [];
addEventListener('securitypolicyviolation', (event) => window.refused.push(event.violatedDirective + ' ' + event.blockedURI));
addEventListener('error', (event) => window.refused.push('script: ' + event.message), true);";

/// The program that drives browsers.
#[derive(Debug)]
pub(crate) struct Driver {
    url: String,
    _process: Child,
}

impl Driver {
    /// Starts it on a free port.
    ///
    /// # Errors
    /// If it isn't installed.
    pub(crate) async fn start() -> Result<Self> {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start chromedriver: install chromium and chromium-driver")?;
        let output = process
            .stdout
            .take()
            .context("chromedriver has no output")?;
        let mut lines = BufReader::new(output).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some((_, port)) = line.split_once("successfully on port ") {
                let port = port.trim_end_matches('.');
                let url = format!("http://127.0.0.1:{port}");
                tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
                return Ok(Self {
                    url,
                    _process: process,
                });
            }
        }
        bail!("chromedriver ended without saying its port")
    }
}

/// One browser with a profile of its own.
#[derive(Debug)]
pub(crate) struct Browser {
    driver: WebDriver,
}

impl Browser {
    /// Opens a window.
    ///
    /// # Errors
    /// If Chromium doesn't start.
    pub(crate) async fn open(driver: &Driver) -> Result<Self> {
        let mut wanted = DesiredCapabilities::chrome();
        for argument in [
            "--headless=new",
            // The browser only opens pages of this machine. Its sandbox doesn't work for root.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--lang=en-GB",
            "--window-size=1440,1000",
            // Nothing is loaded from other hosts, because their names don't resolve.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        ] {
            wanted.add_arg(argument)?;
        }
        let driver = WebDriver::new(&driver.url, wanted)
            .await
            .context("cannot open Chromium")?;
        let browser = Self { driver };
        let listener = json!({ "source": LISTENER });
        browser
            .tell("Page.addScriptToEvaluateOnNewDocument", listener)
            .await?;
        Ok(browser)
    }

    /// Sends a command of Chromium's own protocol.
    pub(crate) async fn tell(&self, command: &str, parameters: Value) -> Result<Value> {
        let answered = self.driver.cdp().send_raw(command, parameters).await;
        answered.with_context(|| command.to_owned())
    }

    /// Opens an address.
    pub(crate) async fn go(&self, url: &str) -> Result<()> {
        self.driver
            .goto(url)
            .await
            .with_context(|| format!("cannot open {url}"))
    }

    /// Presses the button, link or summary with this text or label, or with this text in bold.
    pub(crate) async fn press(&self, text: &str) -> Result<()> {
        self.press_in("body", text).await
    }

    /// The same, within the part of the page that this CSS selector finds.
    pub(crate) async fn press_in(&self, part: &str, text: &str) -> Result<()> {
        let quoted = quoted(text);
        let xpath = format!(
            ".//*[self::a or self::button or self::summary][normalize-space(.)={quoted} or @aria-label={quoted} or .//b[normalize-space(.)={quoted}]]"
        );
        loop {
            let within = self.driver.query(By::Css(part)).wait(PATIENCE, INTERVAL);
            let within = within.first().await;
            let within = within.with_context(|| format!("the page has no {part}"))?;
            let button = within.query(By::XPath(&xpath)).and_displayed();
            let pressed = async { button.wait(PATIENCE, INTERVAL).first().await?.click().await };
            match pressed.await {
                Err(error) if is_replaced(&error) => {}
                outcome => {
                    let outcome = outcome.map(|_| ());
                    return outcome.with_context(|| format!("{part} shows no {text:?} to press"));
                }
            }
        }
    }

    /// Types into the field with this label, and replaces its content.
    pub(crate) async fn fill(&self, label: &str, text: &str) -> Result<()> {
        let field = self.field(label).await?;
        field.clear().await?;
        field.send_keys(text).await?;
        Ok(())
    }

    async fn field(&self, label: &str) -> Result<WebElement> {
        let text = quoted(label);
        let xpath = format!(
            "//*[@id=//label[normalize-space(.)={text}]/@for] | //label[normalize-space(.)={text}]//*[self::input or self::select or self::textarea] | //*[self::input or self::select or self::textarea][@aria-label={text}]"
        );
        self.visible(By::XPath(xpath), &format!("the field {label:?}"))
            .await
    }

    async fn visible(&self, by: By, what: &str) -> Result<WebElement> {
        let query = self
            .driver
            .query(by)
            .and_displayed()
            .wait(PATIENCE, INTERVAL);
        let found = query.first().await;
        found.with_context(|| format!("the page does not show {what}"))
    }

    /// Waits until the page shows this text.
    pub(crate) async fn sees(&self, text: &str) -> Result<()> {
        let quoted = quoted(text);
        let xpath = format!("//body//*[contains(normalize-space(.), {quoted})]");
        self.visible(By::XPath(xpath), &format!("the text {text:?}"))
            .await?;
        Ok(())
    }

    /// All text that the page shows.
    pub(crate) async fn text(&self) -> Result<String> {
        Ok(self.driver.find(By::Tag("body")).await?.text().await?)
    }

    /// The text of the first element that this CSS selector finds.
    pub(crate) async fn text_of(&self, part: &str) -> Result<String> {
        Ok(self.visible(By::Css(part), part).await?.text().await?)
    }

    /// The address of the page.
    pub(crate) async fn address(&self) -> Result<String> {
        Ok(self.driver.current_url().await?.to_string())
    }

    /// Runs a script in the page, and returns its result.
    pub(crate) async fn evaluate(&self, script: &str) -> Result<Value> {
        Ok(self
            .driver
            .execute(script, Vec::new())
            .await?
            .json()
            .clone())
    }

    /// The same for a script that passes its result to its last argument.
    pub(crate) async fn evaluate_later(&self, script: &str) -> Result<Value> {
        Ok(self
            .driver
            .execute_async(script, Vec::new())
            .await?
            .json()
            .clone())
    }

    /// Presses a key. It goes to the focused element.
    pub(crate) async fn key(&self, key: Key) -> Result<()> {
        self.driver.action_chain().send_keys(key).perform().await?;
        Ok(())
    }

    /// Closes the browser.
    pub(crate) async fn close(self) -> Result<()> {
        Ok(self.driver.quit().await?)
    }
}

/// Whether the element was replaced in the meantime, as in live parts of a page.
fn is_replaced(error: &WebDriverError) -> bool {
    matches!(
        error.as_inner(),
        WebDriverErrorInner::StaleElementReference(_)
    )
}

/// A text as an XPath literal.
fn quoted(text: &str) -> String {
    if text.contains('"') {
        format!("'{text}'")
    } else {
        format!("\"{text}\"")
    }
}
