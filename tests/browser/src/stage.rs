//! The base of a journey: a browser, services to start, and a list of the pages' faults.

use std::{cell::RefCell, path::PathBuf};

use anyhow::{Result, bail};
use tempfile::TempDir;

use crate::{
    browser::{Browser, Driver},
    look,
    service::Service,
};

/// The settings of all journeys.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) binary: PathBuf,
    pub(crate) screenshots: Option<PathBuf>,
    /// The script that checks accessibility.
    pub(crate) axe: Option<String>,
}

/// Everything that a journey works with.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    pub(crate) browser: Browser,
    pub(crate) settings: &'a Settings,
    pub(crate) name: &'static str,
    folder: TempDir,
    faults: RefCell<Vec<String>>,
}

impl<'a> Stage<'a> {
    pub(crate) async fn new(
        driver: &Driver,
        settings: &'a Settings,
        name: &'static str,
    ) -> Result<Self> {
        Ok(Self {
            browser: Browser::open(driver).await?,
            settings,
            name,
            folder: TempDir::new()?,
            faults: RefCell::default(),
        })
    }

    /// Starts a service with its sandbox, and opens its dashboard.
    pub(crate) async fn dev(&self) -> Result<Service> {
        let service = Service::dev(&self.settings.binary).await?;
        self.browser.go(service.fact("dashboard_url")?).await?;
        Ok(service)
    }

    /// Starts an empty service.
    pub(crate) async fn serve(&self) -> Result<Service> {
        self.serve_with("").await
    }

    /// Starts an empty service with these settings.
    pub(crate) async fn serve_with(&self, settings: &str) -> Result<Service> {
        Service::serve(&self.settings.binary, self.folder.path(), settings).await
    }

    /// Checks the open page in every width and scheme. Faults let the journey fail at its end. `name` is the name of
    /// the pictures.
    pub(crate) async fn look(&self, name: &str) -> Result<()> {
        let found = look::look(self, name, look::LIMIT).await?;
        self.faults.borrow_mut().extend(found);
        Ok(())
    }

    /// Records a fault of a page.
    pub(crate) fn fault(&self, fault: String) {
        self.faults.borrow_mut().push(fault);
    }

    /// Fails if any page had a fault.
    pub(crate) fn faults_found(&self) -> Result<()> {
        let faults = self.faults.borrow();
        if !faults.is_empty() {
            bail!(
                "{} faults of pages:\n  {}",
                faults.len(),
                faults.join("\n  ")
            );
        }
        Ok(())
    }

    /// Describes the page at which a journey failed, and takes a picture of it.
    pub(crate) async fn where_it_stands(&self) -> String {
        let address = self.browser.address().await.unwrap_or_default();
        let text = self.browser.text().await.unwrap_or_default();
        let text: String = text.chars().take(800).collect();
        let _ = look::picture(self, "failed").await;
        format!("at {address}, which shows:\n{text}\n")
    }

    pub(crate) async fn end(self) -> Result<()> {
        self.browser.close().await
    }
}
