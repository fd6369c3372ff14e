//! A mail in a result: as people read it, and as the product has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ReadableMail;

/// A mail in a result. With the formats `full` and `metadata` it is `message` and `readable`; with `minimal` and `raw` it
/// is only the product's own message, whose members then stand right here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Mail {
    /// The product's own message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The mail as people read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readable: Option<ReadableMail>,
    /// The product's own message where the format has no readable form.
    #[serde(flatten)]
    pub own: Message,
}

/// The product's own message (Gmail API, `Message`).
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
    /// First words, escaped for HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Number of its last change, in digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_id: Option<String>,
    /// When the product took it in: milliseconds since 1970, in digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal_date: Option<String>,
    /// Size in bytes, estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_estimate: Option<u64>,
    /// Headers and parts as a tree (Gmail API, `MessagePart`); with the formats `full` and `metadata`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Map<String, Value>>,
    /// The whole mail as RFC 822, base64url; with the format `raw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}
