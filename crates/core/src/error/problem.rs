//! An error as the body of an HTTP response.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActBy, Details, Error, ErrorKind};

/// Start of a kind's URI.
const TYPE: &str = "urn:stead:error:";

/// An error as the body of a response: RFC 9457 `application/problem+json` with Stead's members.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Problem {
    /// URI of the kind. It's only an identifier; you can't open it.
    #[serde(rename = "type")]
    pub problem_type: String,
    /// One sentence about the kind.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// One sentence about this error.
    pub detail: String,
    /// The kind.
    pub kind: ErrorKind,
    /// Whether the same call can succeed later.
    pub retryable: bool,
    /// The party that needs to act.
    pub act_by: ActBy,
    /// Details of the error.
    #[serde(flatten)]
    pub details: Details,
}

impl Error {
    /// The error as the body of an HTTP response.
    pub fn to_problem(&self) -> Problem {
        let kind = self.kind();
        Problem {
            problem_type: format!("{TYPE}{}", self.kind_name()),
            title: kind.summary().to_owned(),
            status: self.status(),
            detail: self.message().to_owned(),
            kind,
            retryable: self.retryable(),
            act_by: self.act_by(),
            details: self.0.details.clone(),
        }
    }
}

impl From<Problem> for Error {
    /// Keeps the received status, `retryable` and `act_by`, so kinds of a newer service are handled correctly.
    fn from(problem: Problem) -> Self {
        let mut error = Self::new(problem.kind, problem.detail);
        error.0.unknown_kind = problem
            .problem_type
            .strip_prefix(TYPE)
            .filter(|name| ErrorKind::from_name(name).is_none())
            .map(ToOwned::to_owned);
        error.0.status = problem.status;
        error.0.retryable = problem.retryable;
        error.0.act_by = problem.act_by;
        error.0.details = problem.details;
        error
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::error::{Upstream, Violation};

    #[test]
    fn a_problem_reads_back_as_the_same_error() {
        let error = Error::violations(vec![Violation::new("/a", "type", "expected string")])
            .reclassify(ErrorKind::ScopeMissing, "needs a scope")
            .with_required_scopes(["a", "b"])
            .with_context("key", "value")
            .with_retry_after(Duration::from_millis(1500))
            .with_upstream(Upstream::new(403).with_code("insufficientPermissions"));
        let wire = serde_json::to_value(error.to_problem()).unwrap();
        assert_eq!(wire["retry_after_seconds"], 2);
        assert_eq!(wire["context"], json!({ "key": "value" }));
        let back = Error::from(serde_json::from_value::<Problem>(wire.clone()).unwrap());
        assert_eq!(back.kind(), ErrorKind::ScopeMissing);
        assert_eq!(back.required_scopes(), ["a", "b"]);
        assert_eq!(back.violation_list(), error.violation_list());
        assert_eq!(serde_json::to_value(back.to_problem()).unwrap(), wire);
    }

    #[test]
    fn a_store_that_does_not_answer_says_when_to_ask_again() {
        let error = Error::new(ErrorKind::StorageUnavailable, "the disk is full");
        assert_eq!(
            error.to_problem().details.retry_after,
            Some(Duration::from_secs(2))
        );
    }

    #[test]
    fn an_unknown_kind_keeps_the_services_description() {
        let problem = json!({"type": "urn:stead:error:new", "title": "New.", "status": 402, "detail": "new",
            "kind": "new", "retryable": false, "act_by": "app_developer"});
        let error = Error::from(serde_json::from_value::<Problem>(problem.clone()).unwrap());
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert_eq!(error.to_string(), "new: new");
        assert_eq!(error.to_problem().problem_type, problem["type"]);
        assert_eq!(
            (error.status(), error.retryable(), error.act_by()),
            (402, false, ActBy::AppDeveloper)
        );
    }

    #[test]
    fn an_unknown_act_by_means_the_operator() {
        let problem = json!({"type": "urn:stead:error:new", "title": "New.", "status": 409, "detail": "new",
            "kind": "new", "retryable": true, "act_by": "somebody_new"});
        let error = Error::from(serde_json::from_value::<Problem>(problem).unwrap());
        assert_eq!((error.retryable(), error.act_by()), (true, ActBy::Operator));
    }
}
