//! `cargo xtask postgres`: PostgreSQL, PgBouncer and OpenSSL, which the tests of the store start by themselves.

use anyhow::{Context as _, Result, bail};

use crate::{
    install::{Program, missing_after_install},
    shell,
};

/// What the tests start.
const PROGRAMS: [Program; 3] = [
    Program {
        name: "initdb",
        packages: &[
            ("apt-get", "postgresql"),
            ("dnf", "postgresql-server"),
            ("apk", "postgresql"),
            ("brew", "postgresql"),
        ],
    },
    Program::new("pgbouncer"),
    Program::new("openssl"),
];

/// Installs what is missing, where this user may; the tests of the workspace leave out what is missing then. With `all` that is
/// a failure, and the tests are run here with everything, the histories of the simulation too.
///
/// # Errors
/// With `all`, where something is missing or a test fails.
pub(crate) fn run(all: bool) -> Result<()> {
    let missing = missing_after_install(&PROGRAMS);
    if !missing.is_empty() {
        let missing = missing.join(", ");
        if all {
            bail!("install {missing}, over which the store is tested");
        }
        println!("left out: the store over PostgreSQL; not installed: {missing}");
    }
    if !all {
        return Ok(());
    }
    let tests = "cargo test -p stead-store --all-features --test postgres --locked -- --include-ignored --nocapture";
    let passed = shell::command(tests)
        .env("STEAD_TEST_POSTGRES", "required")
        .env("PROPTEST_CASES", "1200")
        .status()
        .context("cannot start cargo")?
        .success();
    if !passed {
        bail!("failed: {tests}");
    }
    Ok(())
}
