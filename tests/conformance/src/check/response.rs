//! Checks a response against its method.

use anyhow::Result;
use serde_json::Value;

use crate::{
    description::{Description, Method, ResponseSchema},
    finding::Outcome,
    schema::Reading,
};

/// A response, from a fixture or from the sandbox.
#[derive(Debug)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) body: ResponseBody<'a>,
}

/// The body of a response.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ResponseBody<'a> {
    Empty,
    Json(&'a Value),
    /// Not JSON.
    Other,
}

/// Checks a response of `method`.
///
/// # Errors
/// If the description itself is broken.
pub(crate) fn check(
    description: &Description,
    method: &Method,
    given: &Response<'_>,
    reading: Reading,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let known = method.response(given.status);
    match (known, &given.body) {
        (None, _) => {
            let what = format!("no response of status {} is described", given.status);
            outcome.open("response", what);
        }
        (Some(ResponseSchema::Open), _) => outcome.open("response", "its body is not described"),
        (Some(ResponseSchema::Empty), ResponseBody::Json(_)) => {
            outcome.wrong("response", "has a body, though the method responds without");
        }
        (Some(ResponseSchema::Empty), ResponseBody::Empty) => {}
        (Some(_), ResponseBody::Other) => {
            outcome.open(
                "response",
                "it is not JSON, as if from a machine in between",
            );
        }
        (Some(ResponseSchema::Schema(_)), ResponseBody::Empty) if given.status >= 400 => {
            outcome.open("response", "it is empty, as if from a machine in between");
        }
        (Some(ResponseSchema::Schema(_)), ResponseBody::Empty) => {
            outcome.wrong(
                "response",
                "has no body, though the method responds with one",
            );
        }
        (Some(ResponseSchema::Schema(schema)), ResponseBody::Json(body)) => {
            let compiled = description.compile(schema, &method.id, reading)?;
            if compiled.is_open() {
                outcome.open("response", "its members are not described");
            }
            outcome.findings = compiled.findings(body, "response");
        }
    }
    Ok(outcome)
}
