//! `cargo xtask deny` checks all crates with `deny.toml`: licences, sources, banned crates and known vulnerabilities.

use anyhow::Result;

use crate::shell;

/// Builds without optimization. That takes a third of the time, and the check takes seconds in either form.
const INSTALL: &str = "cargo install cargo-deny --locked --debug --quiet";

/// Runs the checks. Known vulnerabilities need the list of advisories, which is a repository. If it can't be fetched,
/// the last line of `cargo xtask test` says that they weren't checked. With `all`, that's a failure.
///
/// # Errors
/// If a check fails, or with `all` if one can't be made.
pub(crate) fn run(all: bool) -> Result<()> {
    if !succeeds("cargo deny --version") {
        println!("cargo-deny is missing: {INSTALL}");
        if shell::run(INSTALL).is_err() {
            return shell::not_checked("all checks, because cargo-deny cannot be installed", all);
        }
    }
    shell::run("cargo deny --log-level error --locked check bans licenses sources")?;
    if !succeeds("cargo deny --locked fetch db") {
        let why = "known vulnerabilities, because the list of advisories cannot be read from here";
        return shell::not_checked(why, all);
    }
    shell::run("cargo deny --log-level error --locked check advisories")
}

fn succeeds(line: &str) -> bool {
    let mut command = shell::command(line);
    command.output().is_ok_and(|output| output.status.success())
}
