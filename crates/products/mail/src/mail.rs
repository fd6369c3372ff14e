//! A mail in a result: the readable form, and the product's message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ReadableMail;

/// A mail in a result. With the formats `full` and `metadata` it has `message` and `readable`. With `minimal` and `raw` it
/// has the members of the product's message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Mail {
    /// The product's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The mail in readable form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readable: Option<ReadableMail>,
    /// The product's message, if the format has no readable form.
    #[serde(flatten)]
    pub own: Message,
}

/// The product's message (Gmail API, `Message`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Message {
    /// Id of the mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Id of its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// Ids of its labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_ids: Option<Vec<String>>,
    /// First words of the mail, escaped for HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Number of its last change, as a decimal string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_id: Option<String>,
    /// When the product received it: milliseconds since 1970, as a decimal string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal_date: Option<String>,
    /// Estimated size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_estimate: Option<u64>,
    /// Headers and parts as a tree (Gmail API, `MessagePart`); with the formats `full` and `metadata`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Map<String, Value>>,
    /// The whole mail as RFC 822, base64url; with the format `raw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}
