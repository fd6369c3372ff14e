//! `cargo xtask mcp-conformance`: the official conformance suite of the Model Context Protocol, against the service's own
//! router and transport.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{install, shell};

/// Where the suite is installed; gone with `target`.
const FOLDER: &str = "target/clients/mcp-conformance";
/// Says which version, and the Node that it needs.
const PACKAGES: &str = "tests/clients/mcp/package.json";
/// The revisions of which every requirement has to be met.
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];

/// Runs the suite where npm is present. With `all`, it is a failure where it is not.
///
/// # Errors
/// Where a required scenario does not pass.
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

/// The fixture server, which ends with this.
struct Server(Child);

impl Server {
    fn start() -> Result<Self> {
        let child = shell::command("target/debug/examples/mcp_conformance")
            .stdout(Stdio::piped())
            .spawn();
        Ok(Self(child.context("cannot start the fixture server")?))
    }

    /// Its address, which it prints first.
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
