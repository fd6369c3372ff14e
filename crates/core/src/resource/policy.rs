//! Policies allow, deny or require approval for calls.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_derive::Setters;

use super::Page;
use crate::tool::Effect;
use crate::{
    ErrorKind::{InvalidTransition, NotFound, PathInvalid, SchemaViolation, UnknownTool},
    api::operations,
    scope::ScopeName::{PoliciesManage, PoliciesRead},
};

operations! {
    /// Lists all policies.
    list: ListPolicies {} -> Page<Policy> = GET "/v1/policies" { scope: Some(PoliciesRead) }
    /// Reads a policy.
    read: ReadPolicy { policy_name } -> Policy
        = GET "/v1/policies/{policy_name}" { scope: Some(PoliciesRead), errors: &[NotFound] }
    /// Creates a policy, or replaces all its rules.
    set: SetPolicy { policy_name; body policy: NewPolicy } -> Policy
        = PUT "/v1/policies/{policy_name}" { scope: Some(PoliciesManage), audit: &["policy.set"] }
    /// Deletes a policy that isn't used.
    delete: DeletePolicy { policy_name } -> ()
        = DELETE "/v1/policies/{policy_name}" {
            status: 204, scope: Some(PoliciesManage), errors: &[NotFound, InvalidTransition],
            audit: &["policy.deleted"],
        }
    /// Explains what policies decide about a call, without making it.
    test: PolicyTest(body) -> PolicyDecision
        = POST "/v1/policies/test" {
            scope: Some(PoliciesManage), errors: &[UnknownTool, SchemaViolation, PathInvalid], repeatable: true,
        }
}

/// The rules of a policy. The path has its name; a name in the body has to be the same.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NewPolicy(pub(crate) Policy);

impl From<Policy> for NewPolicy {
    fn from(policy: Policy) -> Self {
        Self(policy)
    }
}

impl From<Policy> for SetPolicy {
    fn from(policy: Policy) -> Self {
        Self::new(policy.name.clone(), policy)
    }
}

/// A named set of rules for tool calls and raw requests.
///
/// ```
/// # use stead_core::resource::Policy;
/// let mut policy = Policy::new("readers");
/// policy.read_only = true;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = json!({
    "name": "mail-agent", "environment": false, "read_only": false, "tools": { "allow": ["mail_*"], "deny": ["mail_get_attachment_by_id"] }, "requests": [],
    "requires_approval": { "tools": ["mail_search_people"] }, "approval_expires_in": 3600,
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Policy {
    /// Name: 1 to 64 letters, digits, `-`, `_` and `.`, starting with a letter or a digit. You can leave it out of the
    /// body if the path has it.
    #[serde(default)]
    #[setters(required)]
    pub name: String,
    /// Whether it applies to all calls of the environment. Otherwise it applies only to credentials and MCP sessions
    /// that name it.
    #[serde(default)]
    pub environment: bool,
    /// Whether only reads are allowed.
    #[serde(default)]
    pub read_only: bool,
    /// Which tools are allowed. Doesn't apply to raw requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolRules>,
    /// Rules about whom and what a request concerns. They apply to tools and raw requests, and all of them have to
    /// match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactRule>,
    /// Raw requests that are allowed. Defaults to all. An empty list allows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Vec<RequestRule>>,
    /// Calls that need a person's approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_approval: Option<ApprovalRules>,
    /// Seconds from the request for an approval until it expires: 60 to 604800. Defaults to 3600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_expires_in: Option<u32>,
    /// When it was last set. Ignored in requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[setters(skip)]
    pub updated_at: Option<Timestamp>,
}

/// Tools by name. `*` matches any characters, for example `mail_*`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolRules {
    /// Tools that are allowed. Defaults to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Tools that are denied, even if `allow` matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

/// A rule about one kind of fact of a product's requests, such as a mail's recipients. If Stead can't determine the
/// facts of a request, the request breaks the rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FactRule {
    /// Product.
    pub product: String,
    /// Kind of fact, such as `recipient`.
    pub kind: String,
    /// Values that are allowed. `*` matches any characters, for example `*@example.com`. Defaults to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Values that are denied, even if `allow` matches. Ignores case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

/// Raw requests that are allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestRule {
    /// Product. Defaults to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// HTTP methods. Defaults to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Path patterns, such as `/v1/people/**`. `*` matches one segment or any characters in one. `**` at the end
    /// matches all remaining segments.
    #[setters(required)]
    pub paths: Vec<String>,
}

/// Calls that need a person's approval. Each member adds more calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovalRules {
    /// Tools by name. `*` matches any characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Requests by effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Requests that break one of these rules. They need approval instead of being denied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactRule>,
}

/// A call to test without making it: a tool with its input, or a raw request.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = json!({
    "policies": ["mail-agent"], "product": "mail", "method": "GET", "path": "/v1/people/me",
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PolicyTest {
    /// Policies to apply in addition to the environment's, such as those of a credential and an MCP session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// Instead of `policies`, who would make the call: a credential's client ID or an MCP session's ID. Its policies,
    /// scopes and limits apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Connection that the call would use. The requests that it allows count too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_name: Option<String>,
    /// Tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Input of the tool.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// Product of a raw request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// HTTP method of a raw request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Path of a raw request, with its query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// JSON body of a raw request, or a string that is sent unchanged.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// Media type of the body. Defaults to JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// The outcome of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PolicyOutcome {
    /// The call is allowed.
    Allowed,
    /// The call needs a person's approval.
    NeedsApproval,
    /// The call is denied.
    Refused,
}

/// A decision with its reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "outcome": "refused", "policy": "mail-agent", "rule": "/requests",
    "message": "the policy mail-agent doesn't allow GET requests to this path",
    "requests": [{ "method": "GET", "path": "/v1/people/me", "effect": "read", "known": true, "facts": [] }],
}))]
#[non_exhaustive]
pub struct PolicyDecision {
    /// The outcome for the call.
    pub outcome: PolicyOutcome,
    /// Name of the policy that denies the call or requires approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The policy's rule, as a JSON Pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason, in one sentence.
    pub message: String,
    /// The requests to the product that were tested. For a tool, those up to the first response that it needs.
    pub requests: Vec<ClassifiedRequest>,
}

/// A request to a product, as rules see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ClassifiedRequest {
    /// HTTP method.
    pub method: String,
    /// Path at the product, with the query.
    pub path: String,
    /// Its effect.
    pub effect: Effect,
    /// Whether Stead can determine what the request concerns.
    pub known: bool,
    /// The facts of the request, such as recipients.
    pub facts: Vec<RequestFact>,
    /// The kind of requests that the connection has to allow, such as `empty_trash`. Absent if it doesn't have to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_request: Option<String>,
}

/// One thing that a request concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RequestFact {
    /// Kind, such as `recipient`.
    pub kind: String,
    /// Value. Absent if Stead can't determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

#[cfg(feature = "platform")]
impl ToolRules {
    /// The rule that denies a tool, as a JSON Pointer.
    pub(crate) fn refuse(&self, name: &str) -> Option<String> {
        let is_meant = |pattern: &String| super::pattern::fits(pattern, name);
        if let Some(index) = self.deny.iter().position(is_meant) {
            return Some(format!("/deny/{index}"));
        }
        let allow = self.allow.as_ref();
        let refuses = allow.is_some_and(|allow| !allow.iter().any(is_meant));
        refuses.then(|| String::from("/allow"))
    }
}

#[cfg(feature = "platform")]
impl PolicyDecision {
    pub(crate) fn new(outcome: PolicyOutcome, message: impl Into<String>) -> Self {
        Self {
            outcome,
            policy: None,
            rule: None,
            message: message.into(),
            requests: Vec::new(),
        }
    }
}
