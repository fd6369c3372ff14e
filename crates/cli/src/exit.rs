//! The exit codes.

use stead::ErrorKind;
use stead_core::error::ActBy;

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Good,
    Failed,
    Usage,
    User,
    Input,
    Product,
    Configuration,
}

/// Every exit code with its meaning, for `stead help` and the reference.
const TABLE: &[(Exit, u8, &str)] = &[
    (Exit::Good, 0, "success"),
    (Exit::Failed, 1, "a step, a tool or Stead itself failed"),
    (Exit::Usage, 2, "the command line is invalid"),
    (
        Exit::User,
        3,
        "the user must connect the account or grant a permission",
    ),
    (
        Exit::Input,
        4,
        "you must change the input, or what it refers to",
    ),
    (
        Exit::Product,
        5,
        "the product failed or is busy, or the outcome is unknown",
    ),
    (
        Exit::Configuration,
        78,
        "the configuration or the key is missing or invalid",
    ),
];

impl Exit {
    /// The exit code for an error.
    pub(crate) fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::KeyUnavailable => Self::Configuration,
            ErrorKind::OutcomeUnknown | ErrorKind::WriteUnconfirmed => Self::Product,
            kind => match kind.act_by() {
                ActBy::EndUser => Self::User,
                ActBy::AppDeveloper => Self::Input,
                ActBy::Product => Self::Product,
                _ => Self::Failed,
            },
        }
    }

    /// The code.
    pub(crate) fn code(self) -> u8 {
        self.row().1
    }

    /// The meaning of the code.
    pub(crate) fn meaning(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static (Self, u8, &'static str) {
        let row = TABLE.iter().find(|(exit, ..)| *exit == self);
        row.unwrap_or(&TABLE[1])
    }
}

/// The table for a terminal.
pub(crate) fn table() -> String {
    let rows = TABLE
        .iter()
        .map(|(_, code, meaning)| format!("  {code:>3}  {meaning}\n"));
    format!("Exit codes:\n{}", rows.collect::<String>())
}

/// The table in Markdown.
pub(crate) fn markdown() -> String {
    let rows = TABLE
        .iter()
        .map(|(_, code, meaning)| format!("| {code} | {meaning} |\n"));
    format!(
        "| Code | Meaning |\n|---|---|\n{}",
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_kind_has_its_exit_code() {
        for (kind, code) in [
            (ErrorKind::AuthorizationRequired, 3),
            (ErrorKind::ScopeMissing, 3),
            (ErrorKind::SchemaViolation, 4),
            (ErrorKind::UnknownTool, 4),
            (ErrorKind::ProductUnavailable, 5),
            (ErrorKind::OutcomeUnknown, 5),
            (ErrorKind::KeyUnavailable, 78),
            (ErrorKind::StorageUnavailable, 1),
        ] {
            assert_eq!(Exit::of(kind).code(), code, "{kind}");
        }
    }
}
