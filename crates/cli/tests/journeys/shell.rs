//! The shells that this crate's tests paste into, and the `stead dev` that prints the pasted lines.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

/// The shells into which people paste, each without their own settings.
pub(crate) const SHELLS: [(&str, &[&str]); 2] = [
    ("bash", &["--norc", "--noprofile", "-i"]),
    ("zsh", &["-f", "-i"]),
];

/// Those that are installed; `cargo xtask shells` says which are not. bash is there wherever the tests run.
pub(crate) fn shells() -> Vec<(&'static str, &'static [&'static str])> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_installed =
        |shell: &str| std::env::split_paths(&path).any(|folder| folder.join(shell).is_file());
    SHELLS
        .into_iter()
        .filter(|(shell, _)| *shell == "bash" || is_installed(shell))
        .collect()
}

pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_stead"))
}

/// The search path of this machine, with the binary's folder first.
pub(crate) fn path() -> String {
    let folder = binary().parent().expect("a folder").display();
    format!(
        "{folder}:{}",
        std::env::var_os("PATH").unwrap_or_default().display()
    )
}

/// `stead dev` on free ports, which ends with the test.
pub(crate) struct Dev {
    pub(crate) child: Child,
    out: BufReader<ChildStdout>,
}

impl Dev {
    pub(crate) fn start(folder: &Path, args: &[&str]) -> Self {
        Self::start_at(["127.0.0.1:0", "127.0.0.1:0"], folder, args)
    }

    /// On the addresses of service and sandbox.
    pub(crate) fn start_at([service, sandbox]: [&str; 2], folder: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(binary())
            .args(["dev", "--listen", service, "--sandbox-listen", sandbox])
            .args(args)
            .current_dir(folder)
            .env_clear()
            .env("PATH", path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, out }
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("text");
        line
    }

    /// What it prints before it waits.
    pub(crate) fn welcome(&mut self) -> String {
        let mut text = String::new();
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "dev ended: {text}");
            text.push_str(&line);
            if line.starts_with("Press Ctrl-C to stop.") {
                return text;
            }
        }
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What an interactive shell prints when `lines` are pasted into it.
pub(crate) fn paste((shell, arguments): (&str, &[&str]), folder: &Path, lines: &str) -> String {
    let mut child = Command::new(shell)
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{shell} cannot be started ({error}); `cargo xtask shells` installs it")
        });
    let mut input = child.stdin.take().expect("its input");
    // The lines are shorter than a pipe's buffer, so writing doesn't wait for the shell.
    input.write_all(lines.as_bytes()).expect("it reads");
    input
        .write_all(b"\necho the last line\n")
        .expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    for trouble in ["not found", "parse error", "syntax error", "no matches"] {
        assert!(
            !complaints.contains(trouble),
            "{shell}: {complaints}\n{said}"
        );
    }
    // An unclosed quote would swallow this line.
    assert!(
        said.ends_with("the last line\n"),
        "{shell}: {complaints}\n{said}"
    );
    said
}

/// The lines that `dev` sets apart to be pasted: those that are indented, after the one that begins so.
pub(crate) fn printed_lines(welcome: &str) -> String {
    let from = welcome
        .find("  export STEAD_URL=")
        .expect("the address comes first");
    welcome[from..]
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The blocks of a Markdown file that are marked as `sh`.
pub(crate) fn shell_blocks(markdown: &str) -> Vec<&str> {
    markdown
        .split("\n```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```"))
        .map(|(block, _)| block)
        .collect()
}

pub(crate) fn fact(welcome: &str, name: &str) -> String {
    let line = welcome
        .lines()
        .find_map(|line| line.trim().strip_prefix(name));
    line.unwrap_or_else(|| panic!("{name}: {welcome}"))
        .trim()
        .to_owned()
}
