//! `POST /v1/policies/test`: what becomes of a call, and why. Nothing is sent.

use stead::core::resource::{PolicyDecision, PolicyTest};

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn test(
    Acting(environment): Acting,
    Json(test): Json<PolicyTest>,
) -> Result<Json<PolicyDecision>> {
    Ok(Json(environment.test_policy(test).await?))
}
