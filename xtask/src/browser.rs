//! `cargo xtask browser`: finds or installs Chromium and its driver, builds the service, and runs `tests/browser`.

use std::{fs, process::Stdio};

use anyhow::Result;

use crate::{
    install::{Program, missing_after_install},
    shell,
};

/// The browser and its driver.
const PROGRAMS: [Program; 2] = [
    Program::new("chromium"),
    Program {
        name: "chromedriver",
        packages: &[
            ("apt-get", "chromium-driver"),
            ("apk", "chromium-chromedriver"),
        ],
    },
];
/// The crate of the journeys, which isn't in this workspace.
const CRATE: &str = "--manifest-path tests/browser/Cargo.toml --target-dir target";
/// The script that checks accessibility.
const AXE: &str = "target/browser/node_modules/axe-core/axe.min.js";

/// Runs the journeys: with `--smoke` only the short ones. With `--all`, missing programs are a failure. Passes other
/// arguments on to `tests/browser`.
///
/// # Errors
/// If a journey fails.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    let all = options.contains(&"--all");
    let missing = missing_after_install(&PROGRAMS);
    if !missing.is_empty() {
        let missing = missing.join(", ");
        let what = format!("journeys in a browser (not installed: {missing})");
        return shell::not_checked(&what, all);
    }
    shell::build()?;
    let mut command = shell::command(&format!("cargo run --quiet --locked {CRATE} --"));
    command.args(["--binary", "target/debug/stead"]);
    command.args(options.iter().filter(|option| **option != "--all"));
    if all {
        command.args(["--screenshots", "target/screenshots"]);
    }
    if !options.contains(&"--smoke") {
        match axe() {
            Ok(()) => {
                command.args(["--axe", AXE]);
            }
            Err(error) => shell::not_checked(&format!("accessibility ({error:#})"), all)?,
        }
    }
    shell::succeed(&mut command, "not every journey reaches its end")
}

/// Installs the script that checks accessibility, unless it's already there.
fn axe() -> Result<()> {
    if shell::root().join(AXE).exists() {
        return Ok(());
    }
    fs::create_dir_all(shell::root().join("target/browser"))?;
    let line =
        "npm install --prefix target/browser --no-audit --no-fund --loglevel=error axe-core@4.14.1";
    let mut install = shell::command(line);
    install.stdin(Stdio::null());
    shell::succeed(&mut install, "axe-core can't be installed with npm")
}
