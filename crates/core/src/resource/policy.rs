//! Policies: which calls there may be, and which wait for a person.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::tool::Effect;

/// A named set of rules for calls of tools and raw requests.
///
/// ```
/// # use stead_core::resource::Policy;
/// let mut policy = Policy::new("readers");
/// policy.read_only = true;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "name": "mail-agent", "environment": false, "read_only": false, "tools": { "allow": ["mail_*"], "deny": ["mail_get_attachment_by_id"] }, "requests": [],
    "requires_approval": { "tools": ["mail_search_people"] }, "approval_expires_in": 3600,
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Policy {
    /// Its name: 1 to 64 letters, digits, `-`, `_` and `.`, starting with a letter or a digit. Where a path names it, it may
    /// be absent from the body.
    #[serde(default)]
    pub name: String,
    /// Whether it applies to every call of the environment. Otherwise to those of the credentials and MCP sessions that name
    /// it.
    #[serde(default)]
    pub environment: bool,
    /// Whether only requests that read pass.
    #[serde(default)]
    pub read_only: bool,
    /// Which tools may be called. It says nothing of raw requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolRules>,
    /// Whom and what requests may concern, those of tools and raw ones alike. All rules hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactRule>,
    /// The raw requests that pass; every one where absent, none where empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Vec<RequestRule>>,
    /// Calls that wait until a person has approved them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_approval: Option<ApprovalRules>,
    /// Seconds from the request for an approval until it ends, used or not: 60 to 604800, 3600 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_expires_in: Option<u32>,
    /// When it was last set. Ignored in what is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

impl Policy {
    /// A policy without rules, which allows everything.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

/// Tools by name; `*` stands for any characters: `mail_*`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolRules {
    /// Those that may be called; every one where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Those that may not, although they are allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

/// A rule about one kind of facts of a product's requests, such as the recipients of mails. A request whose facts cannot be
/// told breaks it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FactRule {
    /// Product.
    pub product: String,
    /// Kind of facts: `recipient`.
    pub kind: String,
    /// Values that pass; `*` stands for any characters: `*@example.com`. Every one where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Values that do not, although they are allowed; upper and lower case are the same here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

/// Raw requests that pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestRule {
    /// Product; every one where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// HTTP methods; every one where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Paths by their segments: `*` stands for one segment, or any characters in one, and `**` at the end for all that
    /// follow: `/v1/people/**`.
    pub paths: Vec<String>,
}

/// What a person has to approve. Each member adds to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovalRules {
    /// Tools by name; `*` stands for any characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Requests by what they do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Requests that break one of these rules, instead of being refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactRule>,
}

/// A call to decide on without making it: a tool with its input, or a raw request.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "policies": ["mail-agent"], "product": "mail", "method": "GET", "path": "/v1/people/me",
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PolicyTest {
    /// Policies to decide by, such as that of a credential and that of an MCP session, besides those of the environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// In place of `policies`, who would make the call: the client id of a credential, or the id of an MCP session. Its policies
    /// decide, and its scopes and what the session is limited to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its input.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// Product of a raw request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Its HTTP method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Its path, with the query where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its JSON body, or a text that is sent as it is.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// Its media type; that of JSON where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PolicyOutcome {
    /// It is made.
    Allowed,
    /// It is made once a person has approved it.
    NeedsApproval,
    /// It is not made.
    Refused,
}

/// A decision, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "outcome": "refused", "policy": "mail-agent", "rule": "/requests",
    "message": "the policy mail-agent does not list GET requests to this path",
    "requests": [{ "method": "GET", "path": "/v1/people/me", "effect": "read", "known": true, "facts": [] }],
}))]
#[non_exhaustive]
pub struct PolicyDecision {
    /// What becomes of the call.
    pub outcome: PolicyOutcome,
    /// The policy that refuses it or asks for an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Its rule, as a JSON Pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why, in a sentence.
    pub message: String,
    /// The requests to the product that were decided on. Of a tool those up to the first response that it needs.
    pub requests: Vec<ClassifiedRequest>,
}

/// A request to a product as rules see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ClassifiedRequest {
    /// HTTP method.
    pub method: String,
    /// Path at the product, with the query.
    pub path: String,
    /// What it does.
    pub effect: Effect,
    /// Whether the product's description knows what it concerns.
    pub known: bool,
    /// What it concerns.
    pub facts: Vec<RequestFact>,
}

/// One thing that a request concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RequestFact {
    /// Kind: `recipient`.
    pub kind: String,
    /// Value; absent where it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

#[cfg(feature = "platform")]
impl ToolRules {
    /// The rule that refuses a tool, as a JSON Pointer.
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
