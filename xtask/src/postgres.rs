//! `cargo xtask postgres`: PostgreSQL, PgBouncer and OpenSSL, which the tests of the store start by themselves.

use anyhow::Result;

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
        let what = format!("the store over PostgreSQL (not installed: {missing})");
        return shell::not_checked(&what, all);
    }
    for store in ["postgres", "pgbouncer"] {
        stories(store, all)?;
    }
    if !all {
        return Ok(());
    }
    let tests = "cargo test -p stead-store --all-features --test postgres --locked -- --include-ignored --nocapture";
    let mut command = shell::command(tests);
    command.env("STEAD_TEST_POSTGRES", "required");
    command.env("PROPTEST_CASES", "1200");
    shell::succeed(&mut command, &format!("failed: {tests}"))
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
    command.env("STEAD_TEST_STORE", store);
    let failure = format!("failed: the stories with STEAD_TEST_STORE={store}");
    shell::succeed(&mut command, &failure)
}
