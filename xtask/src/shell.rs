//! Other programs, started from the top of the workspace.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context as _, Result, bail};

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// A command from its line; words are separated by blanks and never quoted.
pub(crate) fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).current_dir(root());
    command
}

/// What a command prints.
///
/// # Errors
/// Where the command cannot be started, fails, or prints other than UTF-8; what it says of that is shown as it comes.
pub(crate) fn output(line: &str) -> Result<String> {
    let output = command(line)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("failed: {line}");
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` prints other than UTF-8"))
}

/// The time now, to measure how long something takes.
#[expect(
    clippy::disallowed_methods,
    reason = "a command of the project has no runtime port"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}
