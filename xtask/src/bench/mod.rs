//! `cargo xtask bench`: what a call through Stead costs, next to nginx doing the least that could be called the same.
//!
//! A stub (nginx with a fixed answer) plays the product. Each round measures every subject once, one after the other,
//! so that a slow moment of the machine falls on all of them alike; what is shown is the median of the rounds.

mod load;
mod nginx;
pub(crate) mod process;
mod table;

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
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

/// About two minutes beside the build.
pub(crate) const SHORT: Plan = Plan {
    rounds: 3,
    seconds: 3,
};

/// About eight minutes beside the build.
pub(crate) const FULL: Plan = Plan {
    rounds: 5,
    seconds: 10,
};

/// Connections that are used at the same time.
const CONCURRENCY: [u32; 2] = [32, 1];

/// What the stub answers: a page of drafts as Gmail gives it (users.drafts.list), padded to 1 KiB.
const ANSWER_BYTES: usize = 1024;

/// Builds the binary, measures, and prints a table for each concurrency.
///
/// # Errors
/// Where a program is missing (with the command that installs it), does not start, or answers otherwise than it should.
pub(crate) fn run(plan: &Plan) -> Result<()> {
    let wrk = program("wrk", "wrk")?;
    let nginx = program("nginx", "nginx-light")?;
    build()?;

    let folder = shell::root().join("target/bench");
    fs::create_dir_all(&folder)?;
    let [stub_port, nginx_port, stead_port] = free_ports()?;
    let stub = nginx::start(
        &nginx,
        &folder.join("stub"),
        stub_port,
        &Site::Fixed(&answer()),
    )?;
    let bearer = nginx::start(
        &nginx,
        &folder.join("nginx"),
        nginx_port,
        &Site::AddsBearer(stub_port),
    )?;
    let stead = start_stead(stead_port, stub_port)?;

    let path = "/gmail/v1/users/me/profile";
    let subjects = [
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
        Subject::new("stead, proxy", &stead.process, stead.proxy(path)),
        Subject::new(
            "stead, mail_list_drafts",
            &stead.process,
            stead.tool("mail_list_drafts"),
        ),
    ];
    for concurrency in CONCURRENCY {
        let samples = measure(plan, concurrency, &subjects, &wrk, &folder)?;
        println!("\n{}", table::of(concurrency, &samples));
    }
    println!(
        "\nstead holds {:.0} MiB of memory after the load",
        stead.process.resident_bytes()? as f64 / 1024.0 / 1024.0
    );
    Ok(())
}

/// What is measured: a request, and the process whose time it costs.
struct Subject<'a> {
    name: &'static str,
    process: &'a Running,
    load: Load,
}

impl<'a> Subject<'a> {
    fn new(name: &'static str, process: &'a Running, load: Load) -> Self {
        Self {
            name,
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
) -> Result<Vec<(&'static str, Vec<Sample>)>> {
    let mut samples: Vec<_> = subjects
        .iter()
        .map(|subject| (subject.name, Vec::new()))
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
                .check(ANSWER_BYTES)
                .with_context(|| format!("{name} answers otherwise than it should"))?;
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

fn build() -> Result<()> {
    let line = "cargo build --release --locked -p stead-cli";
    println!("{line}");
    shell::run(line)
}

/// A Stead with one account that is already connected to the stub.
struct Stead {
    process: Running,
    url: String,
    bearer: String,
    connection_name: String,
    identifier: String,
}

fn start_stead(port: u16, upstream: u16) -> Result<Stead> {
    let mut command = shell::command("target/release/stead bench-server");
    command.args([
        "--listen",
        &format!("127.0.0.1:{port}"),
        "--upstream",
        &format!("http://127.0.0.1:{upstream}"),
    ]);
    let (process, line) =
        Running::start_until_line(command).context("cannot start stead bench-server")?;
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

    fn tool(&self, name: &str) -> Load {
        let body = json!({ "connection_name": self.connection_name, "identifier": self.identifier, "input": {} });
        Load::post(
            format!("{}/v1/tools/{name}/execute", self.url),
            body.to_string(),
        )
        .with_bearer(&self.bearer)
    }
}

/// A page of drafts of exactly [`ANSWER_BYTES`].
fn answer() -> String {
    let page = |padding: usize| {
        let drafts: Vec<_> = (0..8)
            .map(|number| json!({ "id": format!("r{number}"), "message": { "id": format!("m{number}"), "threadId": format!("t{number}") } }))
            .collect();
        json!({ "drafts": drafts, "nextPageToken": "p".repeat(padding), "resultSizeEstimate": 8 })
            .to_string()
    };
    page(ANSWER_BYTES - page(0).len())
}

/// Ports that nobody listens on at this moment; nginx cannot choose one itself.
fn free_ports() -> Result<[u16; 3]> {
    let listeners = [
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
    ];
    let mut ports = [0; 3];
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
    fn the_answer_has_its_length() {
        assert_eq!(answer().len(), ANSWER_BYTES);
        let page: Value = serde_json::from_str(&answer()).unwrap();
        assert_eq!(page["drafts"][7]["message"]["threadId"], "t7");
    }

    #[test]
    fn ports_differ() {
        let [a, b, c] = free_ports().unwrap();
        assert!(a != b && b != c && a != c);
    }

    #[test]
    fn a_missing_program_says_how_to_install_it() {
        let error = program("no-such-program", "some-package").unwrap_err();
        assert!(error.to_string().ends_with("apt-get install some-package"));
    }
}
