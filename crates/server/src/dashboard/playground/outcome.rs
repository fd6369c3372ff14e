//! The outcome of a call for people.

use serde::Serialize;
use serde_json::Value;
use stead::Error;
use stead_core::{
    error::{ActBy, Violation},
    resource::Execution,
};

use super::{
    cut,
    readable::{Readable, readable},
};
use crate::dashboard::words;

/// The most characters of a text to show.
const TEXT: usize = 12_000;

/// The outcome of a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Done(Box<Done>),
    Planned(Planned),
    Failed(Box<Failed>),
}

/// A result.
#[derive(Debug, Serialize)]
pub(super) struct Done {
    readable: Readable,
    text: Text,
    execution_id: String,
    micros: u64,
    /// Whether it is the stored result of the same form.
    replayed: bool,
    warnings: Vec<String>,
    /// The truncated parts, with their handles.
    left_out: Vec<(String, String)>,
}

/// The requests that a tool would send.
#[derive(Debug, Serialize)]
pub(super) struct Planned {
    requests: Vec<Request>,
    then: Option<String>,
}

#[derive(Debug, Serialize)]
struct Request {
    method: String,
    url: String,
    effect: String,
    headers: Vec<(String, String)>,
    body: Option<Text>,
}

/// An error for people.
#[derive(Debug, Serialize)]
pub(super) struct Failed {
    kind: String,
    summary: &'static str,
    message: String,
    act_by: &'static str,
    /// Whether the user must consent again.
    needs_user: bool,
    retryable: bool,
    retry_after: Option<u64>,
    execution_id: Option<String>,
    /// The product's message.
    upstream: Option<String>,
    required_scopes: Vec<String>,
    /// Errors of the input that belong to no field.
    violations: Vec<(String, String)>,
    micros: u64,
}

/// A text, possibly truncated.
#[derive(Debug, Serialize)]
pub(super) struct Text {
    text: String,
    is_whole: bool,
    bytes: u64,
}

impl Text {
    pub(super) fn of(text: String) -> Self {
        let bytes = text.len() as u64;
        match cut(&text, TEXT) {
            Some(cut) => Self {
                text: cut,
                is_whole: false,
                bytes,
            },
            None => Self {
                text,
                is_whole: true,
                bytes,
            },
        }
    }

    pub(super) fn of_json(value: &Value) -> Self {
        Self::of(serde_json::to_string_pretty(value).unwrap_or_default())
    }
}

/// The outcome of a call. `violations` are the errors of the input that the form hasn't shown.
pub(super) fn outcome(
    result: &Result<Execution, Error>,
    micros: u64,
    violations: Vec<Violation>,
) -> Outcome {
    match result {
        Ok(execution) => done(execution, micros),
        Err(error) => Outcome::Failed(Box::new(failed(error, micros, violations))),
    }
}

fn done(execution: &Execution, micros: u64) -> Outcome {
    let data: Value = serde_json::from_str(execution.data.get()).unwrap_or_default();
    if data["dry_run"] == true
        && let Some(requests) = data["requests"].as_array()
    {
        let requests = requests.iter().map(request).collect();
        let then = data["then"].as_str().map(str::to_owned);
        return Outcome::Planned(Planned { requests, then });
    }
    Outcome::Done(Box::new(Done {
        readable: readable(&data),
        text: Text::of_json(&data),
        execution_id: execution.execution_id.to_string(),
        micros,
        replayed: execution.replayed,
        warnings: execution
            .warnings
            .iter()
            .map(|one| one.message.clone())
            .collect(),
        left_out: execution
            .left_out
            .iter()
            .map(|one| (one.to_string(), one.handle.clone()))
            .collect(),
    }))
}

fn request(described: &Value) -> Request {
    let text = |name: &str| described[name].as_str().unwrap_or_default().to_owned();
    let headers = described["headers"].as_object().into_iter().flatten();
    Request {
        method: text("method"),
        url: text("url"),
        effect: text("effect"),
        headers: headers
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect(),
        body: described.get("body").map(Text::of_json),
    }
}

pub(super) fn failed(error: &Error, micros: u64, violations: Vec<Violation>) -> Failed {
    let upstream = error.upstream().map(|upstream| {
        let parts = [upstream.code.as_deref(), upstream.message.as_deref()];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        format!("{} {}", upstream.status, parts.join(": "))
    });
    Failed {
        kind: error.kind_name().to_owned(),
        summary: error.kind().summary(),
        message: error.message().to_owned(),
        act_by: words::act_by(error.act_by()),
        needs_user: error.act_by() == ActBy::EndUser,
        retryable: error.retryable(),
        retry_after: error.retry_after().map(|after| after.as_secs()),
        execution_id: error.execution_id().map(str::to_owned),
        upstream,
        required_scopes: error.required_scopes().to_vec(),
        violations: violations
            .into_iter()
            .map(|one| (one.path, one.message))
            .collect(),
        micros,
    }
}
