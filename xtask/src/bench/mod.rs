//! `cargo xtask bench`: what a call through Stead costs, next to nginx doing the least that could be called the same.
//!
//! A stub (nginx with a fixed response) plays the product. Each round measures every subject once, one after the other,
//! so that a slow moment of the machine falls on all of them alike; what is shown is the median of the rounds.

mod load;
mod nginx;
mod process;
mod table;

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::shell;
use load::{Load, Sample};
use nginx::Site;
use process::Running;

/// How long a run is.
pub(crate) struct Plan {
    rounds: usize,
    seconds: u32,
}

/// About two minutes, without the build.
pub(crate) const SHORT: Plan = Plan {
    rounds: 3,
    seconds: 3,
};

/// About eight minutes, without the build.
pub(crate) const FULL: Plan = Plan {
    rounds: 5,
    seconds: 10,
};

/// Connections that are used at the same time.
const CONCURRENCY: [u32; 2] = [32, 1];

const MCP_REVISION: &str = "2026-07-28";

/// What the stub responds: a page of drafts as Gmail gives it (users.drafts.list), padded to 1 KiB.
const RESPONSE_BYTES: usize = 1024;

/// Which binaries are measured.
#[derive(Default)]
pub(crate) struct Binaries<'a> {
    /// Instead of a release that is built first.
    pub(crate) binary: Option<&'a str>,
    /// Measured in the same rounds, to be compared with.
    pub(crate) against: Option<&'a str>,
}

/// Measures, and prints a table for each concurrency; with a second binary also how the first compares to it.
///
/// # Errors
/// Where a program is missing (with the command that installs it), does not start, or does not respond as it should.
pub(crate) fn run(plan: &Plan, binaries: &Binaries<'_>) -> Result<()> {
    let wrk = program("wrk", "wrk")?;
    let nginx = program("nginx", "nginx-light")?;
    let binary = match binaries.binary {
        Some(path) => std::path::absolute(path)?,
        None => build()?,
    };
    let mut steads = vec![("stead", binary)];
    if let Some(path) = binaries.against {
        steads.push(("other", std::path::absolute(path)?));
    }

    let folder = shell::root().join("target/bench");
    fs::create_dir_all(&folder)?;
    let [stub_port, nginx_port, ports @ ..] = free_ports()?;
    let stub = nginx::start(
        &nginx,
        &folder.join("stub"),
        stub_port,
        &Site::Fixed(&response()),
    )?;
    let bearer = nginx::start(
        &nginx,
        &folder.join("nginx"),
        nginx_port,
        &Site::AddsBearer(stub_port),
    )?;
    let steads = steads
        .iter()
        .zip(ports)
        .map(|((name, binary), port)| Ok((*name, start_stead(binary, port, stub_port)?)))
        .collect::<Result<Vec<_>>>()?;

    let path = "/gmail/v1/users/me/profile";
    let tool = "mail_list_drafts";
    let mut subjects = vec![
        Subject::new(
            "direct to the stub",
            &stub,
            Load::get(format!("http://127.0.0.1:{stub_port}{path}")),
        ),
        Subject::new(
            "nginx, adds a bearer token",
            &bearer,
            Load::get(format!("http://127.0.0.1:{nginx_port}{path}")),
        ),
    ];
    for (name, stead) in &steads {
        subjects.push(Subject::new(
            format!("{name}, proxy"),
            &stead.process,
            stead.proxy(path),
        ));
    }
    for (name, stead) in &steads {
        subjects.push(Subject::new(
            format!("{name}, {tool}"),
            &stead.process,
            stead.tool(tool),
        ));
    }
    // A binary of before has no session for it.
    if steads.iter().all(|(_, stead)| stead.mcp_bearer.is_some()) {
        for (name, stead) in &steads {
            subjects.push(Subject::new(
                format!("{name}, {tool} over MCP"),
                &stead.process,
                stead.mcp(tool),
            ));
        }
    }
    for concurrency in CONCURRENCY {
        let samples = measure(plan, concurrency, &subjects, &wrk, &folder)?;
        println!("\n{}", table::of(concurrency, &samples));
        let [_, _, calls @ ..] = samples.as_slice() else {
            continue;
        };
        if let [_, rest, mcp] = calls {
            println!("{}", table::ratio(mcp, rest));
        }
        if binaries.against.is_some() {
            for pair in calls.chunks_exact(2) {
                println!("{}", table::ratio(&pair[0], &pair[1]));
            }
        }
    }
    for (name, stead) in &steads {
        println!(
            "\n{name} holds {:.0} MiB of memory after the load",
            stead.process.resident_bytes()? as f64 / 1024.0 / 1024.0
        );
    }
    Ok(())
}

/// Makes so many calls in one process, and says what they leave behind.
///
/// # Errors
/// Where the totals count others than were made.
pub(crate) fn history(calls: &str) -> Result<()> {
    shell::run(&format!(
        "cargo bench --locked -p stead-stories --bench history -- {calls}"
    ))
}

/// Copies an environment with so many accounts from a file to PostgreSQL and back, interrupted twice, and says how long it takes.
///
/// # Errors
/// Where the two differ, or a call on the copy does not end as it should.
pub(crate) fn copy(accounts: &str) -> Result<()> {
    shell::run(&format!(
        "cargo bench --locked -p stead-stories --bench copy -- {accounts}"
    ))
}

/// Makes so many calls and 100,000 accounts, and says how long each page of the dashboard takes.
///
/// # Errors
/// Where a page cannot be made.
pub(crate) fn dashboard(calls: &str) -> Result<()> {
    shell::run(&format!(
        "cargo bench --locked -p stead-stories --bench dashboard -- {calls}"
    ))
}

/// Runs a scenario of `tests/chaos` that measures, with a release: `throughput`, calls of one, two and four services on one
/// PostgreSQL; or `accounts`, a million accounts next to ten.
///
/// # Errors
/// Where a service does not start, or a call fails.
pub(crate) fn scenario(name: &str, options: &[&str]) -> Result<()> {
    let (binary, options) = match options {
        ["--binary", path, options @ ..] => (std::path::absolute(path)?, options),
        options => (build()?, options),
    };
    let status = shell::command("cargo run --quiet --release --locked -p stead-chaos -- --binary")
        .arg(binary)
        .args(options)
        .arg(name)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "it cannot be measured");
    Ok(())
}

/// What is measured: a request, and the process whose time it costs.
struct Subject<'a> {
    name: String,
    process: &'a Running,
    load: Load,
}

impl<'a> Subject<'a> {
    fn new(name: impl Into<String>, process: &'a Running, load: Load) -> Self {
        Self {
            name: name.into(),
            process,
            load,
        }
    }
}

/// Every subject in every round; the samples of one subject stand together.
fn measure(
    plan: &Plan,
    concurrency: u32,
    subjects: &[Subject<'_>],
    wrk: &Path,
    folder: &Path,
) -> Result<Vec<(String, Vec<Sample>)>> {
    let mut samples: Vec<_> = subjects
        .iter()
        .map(|subject| (subject.name.clone(), Vec::new()))
        .collect();
    for round in 0..=plan.rounds {
        // Round 0 fills pools and caches and is not counted.
        let seconds = if round == 0 { 1 } else { plan.seconds };
        for (subject, (name, samples)) in subjects.iter().zip(&mut samples) {
            let before = subject.process.cpu_seconds()?;
            let mut sample = subject
                .load
                .run(wrk, folder, concurrency, seconds)
                .with_context(|| format!("cannot measure {name}"))?;
            sample.cpu_seconds = subject.process.cpu_seconds()? - before;
            sample
                .check(RESPONSE_BYTES)
                .with_context(|| format!("{name} does not respond as it should"))?;
            if round > 0 {
                println!(
                    "concurrency {concurrency}, round {round}: {name}: {:.0} requests/s",
                    sample.per_second()
                );
                samples.push(sample);
            }
        }
    }
    Ok(samples)
}

fn build() -> Result<PathBuf> {
    let line = "cargo build --release --locked -p stead-cli";
    println!("{line}");
    shell::run(line)?;
    Ok(shell::root().join("target/release/stead"))
}

/// A Stead with one account that is already connected to the stub.
struct Stead {
    process: Running,
    url: String,
    bearer: String,
    mcp_bearer: Option<String>,
    connection_name: String,
    identifier: String,
}

fn start_stead(binary: &Path, port: u16, upstream: u16) -> Result<Stead> {
    let mut command = Command::new(binary);
    command.args([
        "bench-server",
        "--listen",
        &format!("127.0.0.1:{port}"),
        "--upstream",
        &format!("http://127.0.0.1:{upstream}"),
    ]);
    let (process, line) = Running::start_until_line(command)
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let ready: Value = serde_json::from_str(&line)
        .with_context(|| format!("stead bench-server prints other than JSON: {line}"))?;
    let field = |name: &str| -> Result<String> {
        let value = ready[name].as_str();
        Ok(value
            .with_context(|| format!("stead bench-server does not print {name}"))?
            .to_owned())
    };
    Ok(Stead {
        process,
        url: field("url")?.trim_end_matches('/').to_owned(),
        bearer: field("bearer")?,
        mcp_bearer: ready["mcp_bearer"].as_str().map(str::to_owned),
        connection_name: field("connection_name")?,
        identifier: field("identifier")?,
    })
}

impl Stead {
    fn proxy(&self, path: &str) -> Load {
        let Self {
            url,
            connection_name,
            identifier,
            ..
        } = self;
        Load::get(format!("{url}/proxy/{connection_name}/{identifier}{path}"))
            .with_bearer(&self.bearer)
    }

    /// The call as a client of the newest revision sends it.
    fn mcp(&self, tool: &str) -> Load {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MCP_REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": tool, "arguments": {}, "_meta": meta } });
        Load::post(format!("{}/mcp", self.url), call.to_string())
            .with_bearer(self.mcp_bearer.as_deref().unwrap_or_default())
            .with_header("accept", "application/json, text/event-stream")
            .with_header("mcp-protocol-version", MCP_REVISION)
            .with_header("mcp-method", "tools/call")
            .with_header("mcp-name", tool)
    }

    fn tool(&self, name: &str) -> Load {
        let body = json!({ "connection_name": self.connection_name, "identifier": self.identifier, "input": {} });
        Load::post(
            format!("{}/v1/tools/{name}/execute", self.url),
            body.to_string(),
        )
        .with_bearer(&self.bearer)
    }
}

/// A page of drafts of exactly [`RESPONSE_BYTES`].
fn response() -> String {
    let page = |padding: usize| {
        let drafts: Vec<_> = (0..8)
            .map(|number| json!({ "id": format!("r{number}"), "message": { "id": format!("m{number}"), "threadId": format!("t{number}") } }))
            .collect();
        json!({ "drafts": drafts, "nextPageToken": "p".repeat(padding), "resultSizeEstimate": 8 })
            .to_string()
    };
    page(RESPONSE_BYTES - page(0).len())
}

/// Ports on which nothing listens at this moment; nginx cannot choose one itself.
fn free_ports() -> Result<[u16; 4]> {
    let listeners = [
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
    ];
    let mut ports = [0; 4];
    for (port, listener) in ports.iter_mut().zip(&listeners) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}

/// A program of this machine.
fn program(name: &str, package: &str) -> Result<PathBuf> {
    let folders = [
        "/usr/local/bin",
        "/usr/local/sbin",
        "/usr/bin",
        "/usr/sbin",
        "/opt/homebrew/bin",
    ];
    let found = folders
        .iter()
        .map(|folder| PathBuf::from(folder).join(name))
        .find(|path| path.exists());
    found.with_context(|| {
        format!("{name} is missing. To install it on Debian: apt-get install {package}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_has_its_length() {
        assert_eq!(response().len(), RESPONSE_BYTES);
        let page: Value = serde_json::from_str(&response()).unwrap();
        assert_eq!(page["drafts"][7]["message"]["threadId"], "t7");
    }

    #[test]
    fn ports_differ() {
        let mut ports = free_ports().unwrap().to_vec();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 4);
    }

    #[test]
    fn a_missing_program_says_how_to_install_it() {
        let error = program("no-such-program", "some-package").unwrap_err();
        assert!(error.to_string().ends_with("apt-get install some-package"));
    }
}
