//! Why a store does not answer.

use stead_core::{Error, ErrorKind};

/// What keeps a database from answering, in words that hold no values.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) why: String,
    /// Whether this may be the consequence of an earlier fault, which then says more.
    pub(crate) may_follow: bool,
    /// Whether what is stored is damaged: some of it can still be read and written.
    pub(crate) is_damage: bool,
    /// Whether somebody must change a setting or a right first: the same attempt fails for ever.
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

    /// The error while the store opens. A wrong setting is not retryable then; while a service runs, somebody may be changing it.
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

/// Whether a key or another unique value exists already.
pub(crate) fn is_unique_violation(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(|error| error.is_unique_violation())
}
