//! How a command fails, and how that is printed: what happened, who must act, what to do next.

use std::fmt::Write as _;

use serde_json::json;
use stead::{Error, ErrorKind, core::error::ActBy};

use crate::{exit::Exit, terminal::Terminal};

/// Result of a command.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of Stead.
    Stead(Box<Error>),
    /// Something outside of Stead: the command line, a file, a port.
    CommandLine {
        exit: Exit,
        what: String,
        next: String,
    },
    /// It was printed already, line by line.
    Reported,
}

impl Failure {
    /// The command line is wrong.
    pub(crate) fn usage(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what, next)
    }

    /// A file, a port or a setting is wrong or missing.
    pub(crate) fn configuration(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, what, next)
    }

    /// Something else.
    pub(crate) fn new(exit: Exit, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::CommandLine {
            exit,
            what: what.into(),
            next: next.into(),
        }
    }

    /// How the program ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Stead(error) => Exit::of(error.kind()),
            Self::CommandLine { exit, .. } => *exit,
            Self::Reported => Exit::Failed,
        }
    }

    /// Says it on the standard error stream: for people, or as one JSON object.
    pub(crate) fn print(&self, terminal: &Terminal) {
        let text = match self {
            Self::Reported => return,
            Self::Stead(error) if terminal.json() => {
                serde_json::to_string(&error.to_problem()).unwrap_or_default()
            }
            Self::Stead(error) => describe(error, terminal),
            Self::CommandLine { what, next, exit } if terminal.json() => {
                json!({ "title": what, "detail": next, "exit_code": exit.code() }).to_string()
            }
            Self::CommandLine { what, next, .. } => {
                format!("{} {what}\n  {next}", terminal.red("stead:"))
            }
        };
        terminal.error(text);
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Stead(Box::new(error))
    }
}

fn describe(error: &Error, terminal: &Terminal) -> String {
    let mut text = format!("{} {}", terminal.red("stead:"), error.message());
    let mut fact = |name: &str, value: &str| {
        let name = terminal.dim(&format!("{name:<16}"));
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {name} {value}");
    };
    fact("kind", error.kind().name());
    fact("who acts", who(error.act_by()));
    if error.kind() != ErrorKind::Internal {
        fact("meaning", error.kind().summary());
    }
    for (key, value) in error.context() {
        fact(key, value.as_str().unwrap_or_default());
    }
    if let Some(link) = error.authorization_link() {
        fact("link", link);
    }
    if !error.required_scopes().is_empty() {
        fact("needs one of", &error.required_scopes().join(", "));
    }
    if let [_, _, ..] = error.violation_list() {
        for violation in error.violation_list() {
            fact("at", &format!("{} {}", violation.path, violation.message));
        }
    }
    if let Some(upstream) = error.upstream() {
        let code = upstream.code.as_deref().unwrap_or("no code");
        let message = upstream.message.as_deref().unwrap_or("no message");
        fact("product", &format!("{} {code}: {message}", upstream.status));
    }
    if let Some(after) = error.retry_after() {
        fact("try again in", &format!("{} s", after.as_secs_f64().ceil()));
    }
    if let Some(id) = error.execution_id() {
        fact("execution", id);
    }
    text
}

fn who(act_by: ActBy) -> &'static str {
    match act_by {
        ActBy::AppDeveloper => "you, the application's developer",
        ActBy::EndUser => "the user",
        ActBy::Product => "the product; waiting is all that others can do",
        _ => "the operator of this Stead",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_printed_with_who_must_act_and_what_helps() {
        let error = Error::new(
            ErrorKind::AuthorizationRequired,
            "the user has to authorize",
        )
        .with_authorization_link("https://stead.example.com/connect/x");
        let text = describe(&error, &Terminal::new(false, false, true));
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "stead: the user has to authorize",
                "  kind             authorization_required",
                "  who acts         the user",
                "  meaning          The end user has to authorize; `authorization_request` is the body for the link to show.",
                "  link             https://stead.example.com/connect/x",
            ]
        );
    }
}
