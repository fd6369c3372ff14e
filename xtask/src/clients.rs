//! `cargo xtask clients`: installs the products' own SDKs into `target/clients`, and runs `tests/clients` with them.

use std::fs;

use anyhow::Result;

use crate::{install, shell};

/// The folder in which the packages are installed.
const FOLDER: &str = "target/clients";

/// An interpreter with the packages that its scripts need.
struct Language {
    name: &'static str,
    /// The file that pins the packages. If it changes, they're installed again.
    packages: &'static str,
    program: &'static str,
    scripts: &'static [&'static str],
    /// Whether only `--all` installs the packages, because they're large.
    is_large: bool,
}

const LANGUAGES: [Language; 4] = [
    Language {
        name: "python",
        packages: "tests/clients/python/requirements.txt",
        program: "target/clients/python/bin/python",
        scripts: &[
            "tests/clients/python/agent.py",
            "tests/clients/python/composing.py",
            "tests/clients/python/generated.py",
            "tests/clients/python/google_api.py",
            "tests/clients/python/gspread_sheets.py",
            "tests/clients/python/models.py",
            "tests/clients/python/notion.py",
            "tests/clients/python/snowflake.py",
            "tests/clients/python/webhooks.py",
        ],
        is_large: false,
    },
    Language {
        name: "node",
        packages: "tests/clients/node/package.json",
        program: "node",
        scripts: &[
            "tests/clients/node/composing.cjs",
            "tests/clients/node/generated.mjs",
            "tests/clients/node/googleapis.cjs",
            "tests/clients/node/mcp.cjs",
            "tests/clients/node/notion.cjs",
        ],
        is_large: false,
    },
    // It needs another version of the MCP package than the SDK above.
    Language {
        name: "langchain",
        packages: "tests/clients/langchain/requirements.txt",
        program: "target/clients/langchain/bin/python",
        scripts: &["tests/clients/langchain/agent.py"],
        is_large: true,
    },
    Language {
        name: "inspector",
        packages: "tests/clients/inspector/package.json",
        program: "python3",
        scripts: &["tests/clients/inspector/agent.py"],
        is_large: true,
    },
];

/// Runs every SDK that can run here and names the others. With `all`, a missing one is a failure.
///
/// # Errors
/// If an SDK fails.
pub(crate) fn run(all: bool) -> Result<()> {
    fs::create_dir_all(shell::root().join(FOLDER))?;
    let mut lines = vec![String::from("sh tests/clients/curl.sh")];
    let mut missing = Vec::new();
    for language in LANGUAGES.iter().filter(|one| all || !one.is_large) {
        match install::packages(&format!("{FOLDER}/{}", language.name), language.packages) {
            Ok(()) => {
                let scripts = language.scripts.iter().map(|script| (*script).to_owned());
                lines.extend(scripts.map(|script| format!("{} {script}", language.program)));
            }
            Err(error) => missing.push(format!("{}: {error:#}", language.name)),
        }
    }
    shell::build()?;
    let mut clients = shell::command("target/debug/stead-clients");
    clients.args(lines);
    clients.env("NODE_PATH", "target/clients/node/node_modules");
    shell::succeed(&mut clients, "not every client passes")?;
    if missing.iter().all(|missing| !missing.starts_with("python")) {
        call_every_operation()?;
    }
    missing
        .iter()
        .try_for_each(|missing| shell::not_checked(missing, all))
}

/// Calls every operation of `stead dev` with made-up input that follows `/openapi.json`.
fn call_every_operation() -> Result<()> {
    let line =
        "target/clients/python/bin/python tests/clients/python/described.py target/debug/stead";
    let failure = "the service does not do what /openapi.json says";
    shell::succeed(&mut shell::command(line), failure)
}
