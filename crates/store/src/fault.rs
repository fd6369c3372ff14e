//! Why a store doesn't respond.

use stead_core::{Error, ErrorKind};

/// The reason why a database doesn't respond, in words that contain no values.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) why: String,
    /// Whether an earlier fault may have caused this one. The earlier one then says more.
    pub(crate) may_follow: bool,
    /// Whether stored data is damaged. Some of it can still be read and written.
    pub(crate) is_damage: bool,
    /// Whether someone must change a setting or a permission first. Until then, every attempt fails.
    pub(crate) is_setting: bool,
    pub(crate) source: Option<sqlx::Error>,
}

impl Fault {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            may_follow: false,
            is_damage: false,
            is_setting: false,
            source: None,
        }
    }

    /// The error while the store opens. A wrong setting isn't retryable then. While a service runs, someone may be
    /// changing it.
    pub(crate) fn at_opening(self) -> Error {
        let is_setting = self.is_setting;
        Error::from(self).with_retryable(!is_setting)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let message = format!("the store doesn't respond: {}", fault.why);
        let error = Self::new(ErrorKind::StorageUnavailable, message);
        match fault.source {
            Some(source) => error.with_source(source),
            None => error,
        }
    }
}

/// Whether an error says that a key or another unique value already exists.
pub(crate) fn is_unique_violation(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(|error| error.is_unique_violation())
}
