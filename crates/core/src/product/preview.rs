//! The text that a person reads before approving a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The content of a request as its recipients will see it, such as a mail. It's made from the bytes that Stead sends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Preview {
    /// Kind of content, such as `Mail`.
    pub title: String,
    /// Its short members in order, such as recipients and subject.
    pub fields: Vec<PreviewField>,
    /// Its text.
    pub text: String,
    /// Text that it contains but doesn't show to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_text: Option<String>,
}

/// A short member of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PreviewField {
    /// Name for people, such as `To`.
    pub name: String,
    /// Value.
    pub value: String,
}

impl Preview {
    /// A preview with this title and text.
    pub fn new(title: &str, text: impl Into<String>) -> Self {
        Self {
            title: title.to_owned(),
            text: text.into(),
            ..Self::default()
        }
    }

    /// Adds a member, unless it's empty.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<String>) -> Self {
        let value = value.into();
        if !value.is_empty() {
            let name = name.to_owned();
            self.fields.push(PreviewField { name, value });
        }
        self
    }
}
