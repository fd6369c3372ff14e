//! `cargo xtask postgres` installs PostgreSQL, PgBouncer and OpenSSL, which the store's tests start, and runs stories
//! over them.

use anyhow::Result;

use crate::{
    install::{Program, missing_after_install},
    shell,
};

/// The programs that the tests start.
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

/// The stories that depend on the store the most.
const CHOSEN: [&str; 6] = [
    "journey::",
    "webhooks::",
    "idempotency::",
    "revocation::",
    "credentials::",
    "events::",
];

/// The stories that run only on an SQLite file, with the reason.
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

/// Installs missing programs if this user may, and runs stories over PostgreSQL. With `all`, runs all stories and the
/// store's own tests, and a missing program is a failure.
///
/// # Errors
/// If a test fails, or with `all` if a program is missing.
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

/// Runs stories over a store: with `all` every story that isn't about the file, otherwise [`CHOSEN`].
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
