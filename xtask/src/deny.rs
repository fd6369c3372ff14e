//! `cargo xtask deny`: the tree of crates against `deny.toml`: licences, sources, banned crates, known vulnerabilities.

use anyhow::Result;

use crate::shell;

/// Built without optimization: it takes a third of the time, and the check takes seconds in either form.
const INSTALL: &str = "cargo install cargo-deny --locked --debug --quiet";

/// Runs the checks. The check of advisories needs their list, which is a repository: if it can't be fetched, the last line of
/// `cargo xtask test` says that known vulnerabilities were not checked. With `all`, that is a failure.
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
