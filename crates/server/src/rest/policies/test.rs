//! `POST /v1/policies/test`: what becomes of a call, and why. Nothing is sent.

use stead::{
    ErrorKind,
    core::resource::{PolicyDecision, PolicyTest},
};

use crate::{
    extract::{Acting, Json, invalid},
    problem::Result,
};

pub(in crate::rest) async fn test(
    Acting(environment): Acting,
    Json(test): Json<PolicyTest>,
) -> Result<Json<PolicyDecision>> {
    let decision = environment.test_policy(test).await;
    // Here the method is a value of the body; 405 would speak of this request's own.
    Ok(Json(decision.map_err(|error| match error.kind() {
        ErrorKind::MethodNotAllowed => invalid("/method", "enum", error.message()),
        _ => error,
    })?))
}
