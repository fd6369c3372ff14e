//! `cargo xtask deny`: the tree of crates against `deny.toml`: licences, sources, banned crates, known vulnerabilities.

use anyhow::{Result, bail};

use crate::shell;

/// Built without optimization: it takes a third of the time, and the check takes seconds in either form.
const INSTALL: &str = "cargo install cargo-deny --locked --debug --quiet";

/// Runs the checks. Those that need nothing but the tree always count; that of the advisories counts where their list
/// can be read, and is left out with a word where it cannot. With `all`, what is left out is a failure.
///
/// # Errors
/// Where a check fails, or with `all` where one cannot be made.
pub(crate) fn run(all: bool) -> Result<()> {
    if !succeeds("cargo deny --version") {
        println!("cargo-deny is missing: {INSTALL}");
        if shell::run(INSTALL).is_err() {
            return left_out(all, "all checks, because cargo-deny cannot be installed");
        }
    }
    shell::run("cargo deny --log-level error --locked check bans licenses sources")?;
    if !succeeds("cargo deny --locked fetch db") {
        let why = "known vulnerabilities, because the list of advisories cannot be read from here";
        return left_out(all, why);
    }
    shell::run("cargo deny --log-level error --locked check advisories")
}

fn succeeds(line: &str) -> bool {
    let mut command = shell::command(line);
    command.output().is_ok_and(|output| output.status.success())
}

fn left_out(all: bool, what: &str) -> Result<()> {
    if all {
        bail!("not checked: {what}");
    }
    println!("left out: {what}");
    Ok(())
}
