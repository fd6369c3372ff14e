//! Runs other programs from the root of the workspace.

use std::{
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

/// How often we check a running command.
const LOOK: Duration = Duration::from_millis(20);

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// A command from its line. Blanks separate the words, and nothing is quoted.
pub(crate) fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).current_dir(root());
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_of_this_run) {
            command.env_remove(name);
        }
    }
    command
}

/// Whether cargo sets this variable for the program that it runs. With these variables, a cargo that we start would
/// rebuild what a plain shell has built: the build script of `ring` watches `CARGO_MANIFEST_DIR`, `CARGO_PKG_NAME` and
/// `CARGO_PKG_VERSION_*`, and most of the workspace depends on `ring`.
fn is_of_this_run(name: &str) -> bool {
    let starts = [
        "CARGO_MANIFEST_",
        "CARGO_PKG_",
        "CARGO_BIN_",
        "CARGO_CRATE_",
    ];
    ["CARGO", "OUT_DIR"].contains(&name) || starts.iter().any(|start| name.starts_with(start))
}

/// The variable that names the file in which steps of `cargo xtask test` note what they can't check.
pub(crate) const NOT_CHECKED: &str = "STEAD_XTASK_NOT_CHECKED";

/// Says that something can't be checked, here and in the last line of `cargo xtask test`. With `all`, that's a failure.
///
/// # Errors
/// With `all`, or if the note can't be written.
pub(crate) fn not_checked(what: &str, all: bool) -> Result<()> {
    ensure!(!all, "not checked: {what}");
    println!("not checked: {what}");
    if let Some(notes) = std::env::var_os(NOT_CHECKED) {
        let mut notes = OpenOptions::new().append(true).create(true).open(notes)?;
        writeln!(notes, "{what}")?;
    }
    Ok(())
}

/// Runs a command and shows its output as it comes.
///
/// # Errors
/// If it can't be started, or fails.
pub(crate) fn run(line: &str) -> Result<()> {
    succeed(&mut command(line), &format!("failed: {line}"))
}

/// Runs a command that has arguments of its own. `failure` is the error if it fails.
///
/// # Errors
/// If it can't be started, or fails.
pub(crate) fn succeed(command: &mut Command, failure: &str) -> Result<()> {
    let status = command.status();
    let status = status.with_context(|| format!("cannot start {:?}", command.get_program()))?;
    ensure!(status.success(), "{failure}");
    Ok(())
}

/// Runs a command. If it takes longer than `limit`, kills it and everything that it has started.
///
/// # Errors
/// If it can't be started, or takes too long.
pub(crate) fn status_within(command: &mut Command, limit: Duration) -> Result<ExitStatus> {
    let mut child = command.spawn().context("it cannot be started")?;
    let start = now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            let processes = started_by(&child.id().to_string())?;
            run(&format!("kill -KILL {}", processes.join(" ")))?;
            child.wait()?;
            bail!("it took longer than {} minutes", limit.as_secs() / 60);
        }
        thread::sleep(LOOK);
    }
}

/// A process, and all processes that it has started, directly or not.
fn started_by(process: &str) -> Result<Vec<String>> {
    let all = output("ps -A -o pid= -o ppid=")?;
    let mut found = vec![process.to_owned()];
    let mut next = 0;
    while let Some(parent) = found.get(next).cloned() {
        let pairs = all.lines().filter_map(|line| line.trim().split_once(' '));
        let children = pairs.filter(|(_, of)| of.trim() == parent);
        found.extend(children.map(|(child, _)| child.to_owned()));
        next += 1;
    }
    Ok(found)
}

/// Builds all programs and examples of the workspace into `target/debug`, with the features of `cargo test
/// --workspace`. A single package would be built again with fewer features.
///
/// # Errors
/// If something doesn't compile.
pub(crate) fn build() -> Result<()> {
    run("cargo build --quiet --locked --workspace --bins --examples")
}

/// Builds one program with cargo. Returns its path, which depends on the command, on variables and on settings.
///
/// # Errors
/// If it doesn't compile.
pub(crate) fn built(command: &mut Command) -> Result<PathBuf> {
    let output = command
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo cannot build it");
    let text = String::from_utf8(output.stdout)?;
    let program = text.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    program.context("cargo does not say where the program is")
}

/// Returns what a command prints. Its errors are shown as they come.
///
/// # Errors
/// If the command can't be started, fails, or prints something other than UTF-8.
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

/// The time now, to measure durations.
#[expect(
    clippy::disallowed_methods,
    reason = "a command of the project has no runtime port"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        io::{self, Read as _},
    };

    use super::*;

    #[test]
    fn a_program_is_found_in_cargos_folder() {
        let folder = std::env::temp_dir().join(format!("stead-built-{}", std::process::id()));
        fs::create_dir_all(folder.join("src")).unwrap();
        let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n";
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::write(folder.join("src/main.rs"), "fn main() {}").unwrap();
        for (variable, value) in [
            ("CARGO_TARGET_DIR", "elsewhere"),
            ("CARGO_BUILD_TARGET_DIR", "elsewhere"),
        ] {
            let mut build = command("cargo build --quiet --offline");
            build
                .current_dir(&folder)
                .env_remove("CARGO_TARGET_DIR")
                .env(variable, value);
            let program = built(&mut build).unwrap();
            assert_eq!(program, folder.join("elsewhere/debug/empty"), "{variable}");
            assert!(program.is_file());
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_hanging_command_is_killed_with_its_children() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut hangs = Command::new("sh");
        hangs.args(["-c", "sleep 600 & wait"]).stdout(writer);
        let error = status_within(&mut hangs, Duration::from_millis(200)).unwrap_err();
        assert!(error.to_string().contains("took longer"), "{error}");
        drop(hangs);
        // This read ends when no process is left that could write.
        reader.read_to_end(&mut Vec::new()).unwrap();
        assert!(
            status_within(&mut Command::new("true"), Duration::MAX)
                .unwrap()
                .success()
        );
    }

    #[test]
    fn a_command_does_not_inherit_cargos_variables() {
        let set = |name: &str| std::env::vars().any(|(set, _)| set == name);
        assert!(set("CARGO_MANIFEST_DIR") && set("CARGO_PKG_NAME"));
        let inherited: Vec<String> = output("env")
            .unwrap()
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, _)| name.to_owned())
            .filter(|name| is_of_this_run(name))
            .collect();
        assert!(inherited.is_empty(), "{inherited:?}");
        assert!(!is_of_this_run("CARGO_TARGET_DIR") && !is_of_this_run("CARGO_HOME"));
    }
}
