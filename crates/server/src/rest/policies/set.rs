//! `PUT /v1/policies/{policy_name}`: makes a policy, or replaces all its rules.

use schemars::JsonSchema;
use serde::Deserialize;
use stead::{Error, core::resource::Policy};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

/// A policy as it is sent.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::rest) struct NewPolicy(Policy);

pub(in crate::rest) async fn set(
    Acting(environment): Acting,
    Path(name): Path<String>,
    Json(NewPolicy(mut policy)): Json<NewPolicy>,
) -> Result<Json<Policy>> {
    if !policy.name.is_empty() && policy.name != name {
        let message = format!("the path names the policy {name:?}");
        return Err(Error::invalid_at("/name", message).into());
    }
    policy.name = name;
    Ok(Json(environment.set_policy(policy).await?))
}
