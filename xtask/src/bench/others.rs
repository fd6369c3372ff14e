//! Measurements that stand for themselves: their figures are printed, and are not part of the report.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use crate::{release, shell};

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
    let (binary, options) = split(options)?;
    let binary = match binary {
        Some(path) => path,
        None => release::plain()?,
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

/// What `--binary` names, as seen from the caller's folder, and the other options.
fn split<'a>(options: &[&'a str]) -> Result<(Option<PathBuf>, Vec<&'a str>)> {
    let mut rest = options.to_vec();
    let Some(at) = rest.iter().position(|option| *option == "--binary") else {
        return Ok((None, rest));
    };
    ensure!(at + 1 < rest.len(), "--binary needs a value");
    let path = std::path::absolute(rest[at + 1])?;
    rest.drain(at..at + 2);
    Ok((Some(path), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_stands_anywhere_among_the_options() {
        let (binary, rest) = split(&["--accounts", "9", "--binary", "/a", "--smoke"]).unwrap();
        assert_eq!(binary, Some(PathBuf::from("/a")));
        assert_eq!(rest, ["--accounts", "9", "--smoke"]);
        assert!(split(&["--smoke"]).unwrap().0.is_none());
        assert!(split(&["--smoke", "--binary"]).is_err());
    }
}
