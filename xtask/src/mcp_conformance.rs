//! `cargo xtask mcp-conformance` runs the official conformance suite of the Model Context Protocol against the
//! service's own router and transport.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{install, shell};

/// The folder in which the suite is installed.
const FOLDER: &str = "target/clients/mcp-conformance";
/// Pins the suite's version, and names the Node that it needs.
const PACKAGES: &str = "tests/clients/mcp/package.json";
/// The revisions whose requirements Stead must all meet.
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];

/// Runs the suite if npm is present. With `all`, a missing npm is a failure.
///
/// # Errors
/// If a required scenario fails.
pub(crate) fn run(all: bool) -> Result<()> {
    let installed = install::packages(FOLDER, PACKAGES);
    let what = "the suite of the Model Context Protocol";
    if !install::is_there(installed, what, if all { &["--all"] } else { &[] })? {
        return Ok(());
    }
    shell::build()?;
    let mut server = Server::start()?;
    let url = server.url()?;
    let mut failed = Vec::new();
    for revision in REVISIONS {
        println!("\n== {revision}");
        let mut suite = shell::command(&format!("{FOLDER}/node_modules/.bin/node"));
        suite.arg(format!("{FOLDER}/node_modules/.bin/conformance"));
        suite.args(["server", "--url", &url, "--requirements", revision]);
        if shell::succeed(&mut suite, revision).is_err() {
            failed.push(revision);
        }
    }
    ensure!(
        failed.is_empty(),
        "not every requirement is met of {}",
        failed.join(" and ")
    );
    Ok(())
}

/// The fixture server. Dropping it stops the server.
struct Server(Child);

impl Server {
    fn start() -> Result<Self> {
        let child = shell::command("target/debug/examples/mcp_conformance")
            .stdout(Stdio::piped())
            .spawn();
        Ok(Self(child.context("cannot start the fixture server")?))
    }

    /// Reads the server's address, which is the first line that it prints.
    fn url(&mut self) -> Result<String> {
        let output = self.0.stdout.take().context("the fixture has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        if line.trim().is_empty() {
            bail!("the fixture server has ended");
        }
        Ok(line.trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
