//! The form of a policy: its JSON, and what was wrong with it.

use serde::Serialize;
use stead::{Error, ErrorKind};

use crate::problem::Result;

/// What stands in the form, and what was wrong with it.
#[derive(Debug, Serialize)]
pub(super) struct Editor {
    document: String,
    error: Option<String>,
    /// Places in the document, as JSON Pointers, with what is wrong there.
    places: Vec<(String, String)>,
}

impl Editor {
    /// This document, with nothing wrong.
    pub(super) fn of(document: &str) -> Self {
        Self {
            document: document.to_owned(),
            error: None,
            places: Vec::new(),
        }
    }

    /// What whoever filled it in can do something about; every other error is a page of its own.
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
