//! Results of dry runs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::tool::Effect;

/// The planned requests of a dry run. Read them with [`Execution::json`](super::Execution::json).
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Plan {
    /// Always true.
    pub dry_run: bool,
    /// The requests, in order.
    pub requests: Vec<PlannedRequest>,
    /// Description of later requests, if they depend on the last request's response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// Whether a policy requires a person's approval for the call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_approval: bool,
}

impl Plan {
    /// A plan of these requests.
    pub fn new(requests: Vec<PlannedRequest>, then: Option<String>) -> Self {
        Self {
            dry_run: true,
            requests,
            then,
            requires_approval: false,
        }
    }
}

/// A request as Stead would send it, without the user's token.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PlannedRequest {
    /// HTTP method.
    pub method: String,
    /// URL of the product.
    pub url: String,
    /// Path and query at the product, in the form that the proxy accepts.
    pub path: String,
    /// Its effect.
    pub effect: Effect,
    /// Whether it was sent because later requests depend on its response. Only reads are sent.
    pub sent: bool,
    /// Headers, without the token.
    pub headers: BTreeMap<String, String>,
    /// Body, unchanged. A string if it isn't JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub body: Option<Box<RawValue>>,
}
