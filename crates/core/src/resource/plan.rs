//! What a dry run returns.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::tool::Effect;

/// The requests of a call that was not made: the data of a dry run, which [`Execution::json`](super::Execution::json) reads.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Plan {
    /// Always true.
    pub dry_run: bool,
    /// The requests in their order.
    pub requests: Vec<PlannedRequest>,
    /// What the tool would send after the last request, where that follows from its response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// Whether a policy would let the call wait until a person has approved it.
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

/// A request as it would be sent, but for the user's token.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PlannedRequest {
    /// HTTP method.
    pub method: String,
    /// Address at the product.
    pub url: String,
    /// Path and query at the product, as the proxy takes them.
    pub path: String,
    /// What it does.
    pub effect: Effect,
    /// Whether it was sent, since what comes after it follows from its response. Only what reads is sent.
    pub sent: bool,
    /// Headers but for the token's.
    pub headers: BTreeMap<String, String>,
    /// Body, byte for byte; a text where it is not JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub body: Option<Box<RawValue>>,
}
