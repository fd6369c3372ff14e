//! An answer against the method that gives it.

use anyhow::Result;
use serde_json::Value;

use super::{Outcome, schema::Reading};
use crate::conformance::description::{Answer, Description, Method};

/// An answer, from a fixture or from the sandbox.
#[derive(Debug)]
pub(crate) struct GivenAnswer<'a> {
    pub(crate) status: u16,
    pub(crate) body: GivenBody<'a>,
}

/// What an answer carries.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GivenBody<'a> {
    Empty,
    Json(&'a Value),
    /// Something else than JSON.
    Other,
}

/// Checks an answer of `method`.
///
/// # Errors
/// Where the description itself is broken.
pub(crate) fn check(
    description: &Description,
    method: &Method,
    given: &GivenAnswer<'_>,
    reading: Reading,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let known = method.answer(given.status);
    match (known, &given.body) {
        (None, _) => {
            let what = format!("no answer of status {} is described", given.status);
            outcome.open("answer", what);
        }
        (Some(Answer::Open), _) => outcome.open("answer", "its body is not described"),
        (Some(Answer::Empty), GivenBody::Json(_)) => {
            outcome.wrong("answer", "has a body, though the method answers without");
        }
        (Some(Answer::Empty), GivenBody::Empty) => {}
        (Some(_), GivenBody::Other) => {
            outcome.open("answer", "it is not JSON, as if from a machine in between");
        }
        (Some(Answer::Schema(_)), GivenBody::Empty) if given.status >= 400 => {
            outcome.open("answer", "it is empty, as if from a machine in between");
        }
        (Some(Answer::Schema(_)), GivenBody::Empty) => {
            outcome.wrong("answer", "has no body, though the method answers with one");
        }
        (Some(Answer::Schema(schema)), GivenBody::Json(body)) => {
            let compiled = description.compile(schema, &method.id, reading)?;
            if compiled.is_open() {
                outcome.open("answer", "its members are not described");
            }
            outcome.findings = compiled.findings(body, "answer");
        }
    }
    Ok(outcome)
}
