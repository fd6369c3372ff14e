//! The one place that prints.

use std::{
    fmt::Display,
    io::{self, IsTerminal as _, Write as _},
};

use serde::Serialize;

/// How to print: for people or for programs, with or without colour.
#[derive(Debug)]
pub(crate) struct Terminal {
    stdout: io::Stdout,
    stderr: io::Stderr,
    json: bool,
    quiet: bool,
    color: bool,
}

impl Terminal {
    pub(crate) fn new(json: bool, quiet: bool, no_color: bool) -> Self {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let color = !no_color && stdout.is_terminal() && stderr.is_terminal();
        Self {
            stdout,
            stderr,
            json,
            quiet,
            color,
        }
    }

    /// Whether a program reads the output.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// The result of the command.
    pub(crate) fn result(&self, text: impl Display) {
        // A closed pipe means that the reader has seen enough.
        let _ = writeln!(&self.stdout, "{text}");
    }

    /// A result as one line of JSON.
    pub(crate) fn result_json(&self, value: &impl Serialize) {
        self.result(serde_json::to_string(value).unwrap_or_default());
    }

    /// A result for a program as one line of JSON, or for people as text.
    pub(crate) fn either(&self, value: &impl Serialize, text: impl FnOnce() -> String) {
        if self.json {
            self.result_json(value);
        } else {
            self.result(text());
        }
    }

    /// Help for people that is not a result: not with `--quiet`, not with `--json`.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet && !self.json {
            self.result(text);
        }
    }

    /// Something that happened while the command runs: not with `--quiet`. `text` has nothing for what people need not
    /// know.
    pub(crate) fn event(&self, value: &impl Serialize, text: impl FnOnce() -> Option<String>) {
        if self.quiet {
            return;
        }
        if self.json {
            self.result_json(value);
        } else if let Some(text) = text() {
            self.result(text);
        }
    }

    /// A line on the standard error stream.
    pub(crate) fn error(&self, text: impl Display) {
        let _ = writeln!(&self.stderr, "{text}");
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }
    pub(crate) fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }
    pub(crate) fn green(&self, text: &str) -> String {
        self.styled("32", text)
    }
    pub(crate) fn red(&self, text: &str) -> String {
        self.styled("31", text)
    }

    fn styled(&self, code: &str, text: &str) -> String {
        if self.color {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
