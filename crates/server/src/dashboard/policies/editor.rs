//! The form of a policy: its JSON and its errors.

use serde::Serialize;
use stead::{Error, ErrorKind};

use crate::problem::Result;

/// The value of the form, and its errors.
#[derive(Debug, Serialize)]
pub(super) struct Editor {
    document: String,
    error: Option<String>,
    /// Errors in the document: a JSON Pointer and a message each.
    places: Vec<(String, String)>,
}

impl Editor {
    /// A document without errors.
    pub(super) fn of(document: &str) -> Self {
        Self {
            document: document.to_owned(),
            error: None,
            places: Vec::new(),
        }
    }

    /// Keeps an error that the user can correct in the form. Other errors get their own page.
    pub(super) fn refused(document: &str, error: Error) -> Result<Self> {
        if error.kind() != ErrorKind::InvalidRequest && error.kind() != ErrorKind::SchemaViolation {
            return Err(error.into());
        }
        let violations = error.violation_list().iter();
        let places = violations.map(|one| (one.path.clone(), one.message.clone()));
        Ok(Self {
            document: document.to_owned(),
            error: Some(error.message().to_owned()),
            places: places.collect(),
        })
    }
}
