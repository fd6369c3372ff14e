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

/// Stories that depend on the store the most.
const CHOSEN: [&str; 6] = [
    "journey::",
    "webhooks::",
    "idempotency::",
    "revocation::",
    "credentials::",
    "events::",
];

/// Stories that run over the file only, and why.
const OF_THE_FILE: &[(&str, &str)] = &[
    ("tampering::", "edits the rows of the file"),
    ("audit::", "edits the rows of the file"),
    ("erasure::", "searches the bytes of the file"),
    ("keys::", "edits and copies the file"),
    (
        "permissions::the_request_in_a_missing_scope_s_error",
        "counts the rows of the file",
    ),
    ("history::", "measures the file"),
    ("old_database::", "opens a file of an earlier Stead"),
    (
        "cut_off::",
        "a process that has ended is known by the folder next to the file",
    ),
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
        shell::left_out(&format!(
            "the store over PostgreSQL (not installed: {missing})"
        ))?;
    }
    if missing.is_empty() {
        for store in ["postgres", "pgbouncer"] {
            stories(store, all)?;
        }
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

/// Runs the stories over a store: all that are not about the file, or those that depend on the store the most.
fn stories(store: &str, all: bool) -> Result<()> {
    let mut command = shell::command("cargo test -p stead-stories --test stories --locked --");
    if !all {
        command.args(CHOSEN);
    }
    for (story, _) in OF_THE_FILE {
        command.args(["--skip", story]);
    }
    let passed = command
        .env("STEAD_TEST_STORE", store)
        .status()
        .context("cannot start cargo")?
        .success();
    if !passed {
        bail!("failed: the stories with STEAD_TEST_STORE={store}");
    }
    Ok(())
}
