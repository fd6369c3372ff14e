//! How a command reports a failure: what happened, who needs to act, and what to do next.

use std::fmt::Write as _;

use serde_json::{Value, json};
use stead::{Error, ErrorKind};
use stead_core::error::{ActBy, Violation};

use crate::{exit::Exit, terminal::Terminal};

/// Result of a command.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// The flags that set members of a request: the member's JSON pointer, the flag, and a hint.
pub(crate) type Flags = &'static [Flag<'static>];
type Flag<'a> = (&'a str, &'a str, &'a str);

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of Stead.
    Stead {
        error: Box<Error>,
        flags: Flags,
        /// The same for a derived command.
        arguments: Vec<(String, String)>,
        /// The next step, if the error doesn't say it.
        next: Option<&'static str>,
    },
    /// A problem outside of Stead, with the command line, a file or a port.
    CommandLine {
        exit: Exit,
        what: String,
        next: String,
    },
    /// The command has already printed it.
    Reported,
}

impl Failure {
    /// The command line is invalid.
    pub(crate) fn usage(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what, next)
    }

    /// A file, a port or a setting is invalid or missing.
    pub(crate) fn configuration(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, what, next)
    }

    /// Any other failure.
    pub(crate) fn new(exit: Exit, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::CommandLine {
            exit,
            what: what.into(),
            next: next.into(),
        }
    }

    /// An error of clap.
    pub(crate) fn of_clap(error: &clap::Error) -> Self {
        if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Self::usage("a command is missing", "`stead --help` lists the commands");
        }
        let text = error.render().to_string();
        let mut parts = text.split("\n\n").map(|part| {
            let words: Vec<&str> = part.split_whitespace().collect();
            words.join(" ")
        });
        let what = parts.next().unwrap_or_default();
        let next: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        Self::usage(what.trim_start_matches("error: "), next.join("; "))
    }

    /// Names the command's flags instead of the request's members.
    pub(crate) fn with_flags(mut self, of_command: Flags) -> Self {
        if let Self::Stead { flags, .. } = &mut self {
            *flags = of_command;
        }
        self
    }

    /// Names the arguments of a derived command: the pointer of each member, and its argument.
    pub(crate) fn with_arguments(mut self, of_command: Vec<(String, String)>) -> Self {
        if let Self::Stead { arguments, .. } = &mut self {
            *arguments = of_command;
        }
        self
    }

    /// Says what to do next.
    pub(crate) fn with_next(mut self, what: &'static str) -> Self {
        if let Self::Stead { next, .. } = &mut self {
            *next = Some(what);
        }
        self
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Stead { error, .. } => Exit::of(error.kind()),
            Self::CommandLine { exit, .. } => *exit,
            Self::Reported => Exit::Failed,
        }
    }

    /// Prints it to standard error, for people or as one JSON object.
    pub(crate) fn print(&self, terminal: &Terminal) {
        let text = match self {
            Self::Reported => return,
            _ if terminal.json() => self.problem().to_string(),
            Self::Stead {
                error,
                flags,
                arguments,
                next,
            } => {
                let derived = arguments
                    .iter()
                    .map(|(pointer, flag)| (pointer.as_str(), flag.as_str(), ""));
                let flags: Vec<Flag<'_>> = derived.chain(flags.iter().copied()).collect();
                let mut text = describe(error, &flags, terminal);
                if let Some(next) = next {
                    text.push_str(&format!("\n  {next}"));
                }
                text
            }
            Self::CommandLine { what, next, .. } => {
                format!("{} {what}\n  {next}", terminal.red("stead:"))
            }
        };
        terminal.error(text);
    }

    /// Writes it to the log, and returns whether the log accepts errors. It doesn't before logging starts.
    pub(crate) fn log(&self) -> bool {
        let exit_code = self.exit().code();
        if !tracing::enabled!(tracing::Level::ERROR) {
            return false;
        }
        match self {
            Self::Reported => {}
            Self::Stead { error, next, .. } => tracing::error!(
                kind = error.kind_name(),
                act_by = error.act_by().name(),
                remedy = next.unwrap_or_default(),
                exit_code,
                "{}",
                error.message()
            ),
            Self::CommandLine { what, next, .. } => {
                tracing::error!(remedy = next.as_str(), exit_code, "{what}");
            }
        }
        true
    }

    /// The members of the service's errors (RFC 9457), and the exit code.
    fn problem(&self) -> Value {
        let mut problem = match self {
            Self::Stead { error, next, .. } => {
                let mut problem = serde_json::to_value(error.to_problem()).unwrap_or_default();
                if let Some(next) = next {
                    problem["detail"] = format!("{}: {next}", error.message()).into();
                }
                problem
            }
            Self::CommandLine { what, next, exit } => {
                let (kind, status, act_by) = match exit {
                    Exit::Usage => ("command_line", 400, ActBy::AppDeveloper),
                    Exit::Input => ("invalid_request", 400, ActBy::AppDeveloper),
                    Exit::Configuration => ("configuration", 500, ActBy::Operator),
                    _ => ("internal", 500, ActBy::Operator),
                };
                json!({
                    "type": format!("urn:stead:error:{kind}"),
                    "title": exit.meaning(),
                    "status": status,
                    "detail": format!("{what}: {next}"),
                    "kind": kind,
                    "retryable": false,
                    "act_by": act_by,
                })
            }
            Self::Reported => json!({}),
        };
        problem["exit_code"] = self.exit().code().into();
        problem
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Stead {
            error: Box::new(error),
            flags: &[],
            arguments: Vec::new(),
            next: None,
        }
    }
}

fn describe(error: &Error, flags: &[Flag<'_>], terminal: &Terminal) -> String {
    let violations: Vec<String> = error
        .violation_list()
        .iter()
        .map(|violation| in_flags(violation, flags))
        .collect();
    let message = match violations.as_slice() {
        [one] => one.as_str(),
        _ => error.message(),
    };
    let mut text = format!("{} {message}", terminal.red("stead:"));
    let mut fact = |name: &str, value: &str| {
        let name = terminal.dim(&format!("{name:<16}"));
        // Writing to a string can't fail.
        let _ = write!(text, "\n  {name} {value}");
    };
    fact("kind", error.kind().name());
    fact("who acts", who(error.act_by()));
    // For these kinds, the message already says what is wrong.
    let is_said = matches!(
        error.kind(),
        ErrorKind::Internal | ErrorKind::InvalidRequest | ErrorKind::SchemaViolation
    );
    if !is_said {
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
    if let [_, _, ..] = violations.as_slice() {
        for violation in &violations {
            fact("at", violation);
        }
    }
    let broken = |pointer: &str| {
        let mut all = error.violation_list().iter();
        all.any(|violation| violation.path == pointer && violation.keyword == "required")
    };
    for (pointer, _, hint) in flags {
        if !hint.is_empty() && broken(pointer) {
            fact("or", hint);
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

/// A violation with the member's flag instead of its pointer.
fn in_flags(violation: &Violation, flags: &[Flag<'_>]) -> String {
    let Violation { path, message, .. } = violation;
    let below = |pointer: &str| {
        let rest = path.strip_prefix(pointer)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
    };
    let found = flags
        .iter()
        .find_map(|(pointer, flag, _)| Some((pointer, flag, below(pointer)?)));
    let Some((pointer, flag, inner)) = found else {
        return violation.to_string();
    };
    // The command line has no name for an item of a list, so its number isn't shown.
    let is_item = inner.bytes().all(|byte| byte.is_ascii_digit());
    let (name, flag) = if is_item {
        (pointer.trim_start_matches('/'), (*flag).to_owned())
    } else {
        (inner, format!("{flag} '{{\"{inner}\": …}}'"))
    };
    // The flag replaces the member's name if the message begins with it.
    let rest = message
        .strip_prefix(name)
        .or_else(|| message.strip_prefix(&format!("{name:?}")))
        .filter(|rest| rest.starts_with(' '));
    match rest {
        Some(rest) => format!("{flag}{rest}"),
        None => format!("{flag}: {message}"),
    }
}

fn who(act_by: ActBy) -> &'static str {
    match act_by {
        ActBy::AppDeveloper => "you",
        ActBy::EndUser => "the user",
        ActBy::Product => "the product; wait, and try again",
        _ => "the operator of Stead",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_printed_with_its_kind_actor_meaning_and_link() {
        let error = Error::new(
            ErrorKind::AuthorizationRequired,
            "the user has to authorize",
        )
        .with_authorization_link("https://stead.example.com/connect/x");
        let text = describe(&error, &[], &Terminal::new(false, false, true));
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "stead: the user has to authorize",
                "  kind             authorization_required",
                "  who acts         the user",
                "  meaning          The end user needs to authorize; create a link with `authorization_request` as the body and show it.",
                "  link             https://stead.example.com/connect/x",
            ]
        );
    }

    #[test]
    fn a_refusal_names_the_policy_and_its_rule_and_has_an_exit_code() {
        for kind in [ErrorKind::Forbidden, ErrorKind::ApprovalRequired] {
            let error = Error::new(kind, "the policy agents does not allow this")
                .with_context("policy", "agents")
                .with_context("rule", "/tools/deny/0");
            let text = describe(&error, &[], &Terminal::new(false, false, true));
            for line in [
                "  policy           agents",
                "  rule             /tools/deny/0",
            ] {
                assert!(text.lines().any(|one| one == line), "{text}");
            }
            assert_ne!(Failure::from(error).exit().code(), 0);
        }
    }

    #[test]
    fn a_violation_names_the_flag_of_its_member() {
        const FLAGS: Flags = &[
            (
                "/verify_url",
                "--verify-url",
                "give --trust-whoever-has-the-link",
            ),
            ("/settings", "--settings", ""),
        ];
        let terminal = Terminal::new(false, false, true);
        let said = |violations: Vec<Violation>| {
            let text = describe(&Error::violations(violations), FLAGS, &terminal);
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let verify = || {
            Violation::new(
                "/verify_url",
                "required",
                "verify_url is required: a reason",
            )
        };
        let settings =
            || Violation::new("/settings/account", "required", "\"account\" is required");
        let one = said(vec![verify()]);
        assert_eq!(one[0], "stead: --verify-url is required: a reason");
        assert_eq!(
            one[3],
            "  or               give --trust-whoever-has-the-link"
        );
        let one = said(vec![settings()]);
        assert_eq!(one[0], r#"stead: --settings '{"account": …}' is required"#);
        let other = Violation::new("/other/0", "type", "expected string");
        let several = said(vec![verify(), other]);
        assert_eq!(
            several[3],
            "  at               --verify-url is required: a reason"
        );
        assert_eq!(several[4], "  at               /other/0: expected string");
    }
}
