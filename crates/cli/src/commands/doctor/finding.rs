//! A finding of a check: its level, a sentence, and a remedy.

use serde::Serialize;

use crate::failure::Failure;

/// The level of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    Ok,
    Warning,
    Error,
}

impl Level {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that a check found.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) level: Level,
    pub(super) message: String,
    /// The remedy, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
}

impl Finding {
    pub(super) fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self {
            check,
            level: Level::Ok,
            message: message.into(),
            remedy: None,
        }
    }

    pub(super) fn warning(
        check: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Warning,
            remedy: Some(remedy.into()),
            ..Self::ok(check, message)
        }
    }

    pub(super) fn error(
        check: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Error,
            ..Self::warning(check, message, remedy)
        }
    }

    /// A failure that stopped a check. `remedy` is for errors of Stead, which don't have their own.
    pub(super) fn of_failure(check: &'static str, failure: Failure, remedy: &str) -> Self {
        match failure {
            Failure::CommandLine { what, next, .. } => Self::error(check, what, next),
            Failure::Stead { error, next, .. } => {
                Self::error(check, error.message(), next.unwrap_or(remedy))
            }
            Failure::Reported => Self::error(check, "the check failed", remedy),
        }
    }
}
