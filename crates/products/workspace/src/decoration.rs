//! Icons and covers of pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::error::Violations;

use crate::limits::check_text;

/// Icon of a page: `{"type": "emoji", "emoji": "🧭"}` or `{"type": "external", "external": {"url": "https://…"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "x-brief" = "`{\"type\": \"emoji\", \"emoji\": \"🧭\"}` or `{\"type\": \"external\", \"external\": {\"url\": \"https://…\"}}`.",
    "x-text" = {"url": {"type": "external", "external": {"url": "*"}}, "emoji": {"type": "emoji", "emoji": "*"}}
))]
pub struct PageIcon {
    /// Kind of icon.
    #[serde(rename = "type")]
    pub kind: IconKind,
    /// The emoji, for the type `emoji`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// The picture, for the type `external`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalFile>,
}

/// Kind of an icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IconKind {
    /// An emoji.
    Emoji,
    /// A picture at an address.
    External,
}

/// Cover of a page: `{"type": "external", "external": {"url": "https://…"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "x-brief" = "`{\"type\": \"external\", \"external\": {\"url\": \"https://…\"}}`.",
    "x-text" = {"url": {"type": "external", "external": {"url": "*"}}}
))]
pub struct PageCover {
    /// Kind of cover.
    #[serde(rename = "type")]
    pub kind: CoverKind,
    /// The picture.
    pub external: ExternalFile,
}

/// Kind of a cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoverKind {
    /// A picture at an address.
    External,
}

/// A file that isn't stored by the product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExternalFile {
    /// Its URL, at most 2,000 characters.
    pub url: String,
}

impl PageIcon {
    /// An emoji.
    pub fn emoji(emoji: impl Into<String>) -> Self {
        Self {
            kind: IconKind::Emoji,
            emoji: Some(emoji.into()),
            external: None,
        }
    }

    /// A picture at this address.
    pub fn external(url: impl Into<String>) -> Self {
        Self {
            kind: IconKind::External,
            emoji: None,
            external: Some(ExternalFile { url: url.into() }),
        }
    }

    /// Checks that the icon has exactly the member of its type.
    pub(crate) fn check(&self, violations: &mut Violations) {
        let fits = match self.kind {
            IconKind::Emoji => self.emoji.is_some() && self.external.is_none(),
            IconKind::External => self.external.is_some() && self.emoji.is_none(),
        };
        if !fits {
            let message = "an icon needs emoji for the type emoji or external for the type external, not both";
            violations.add("/icon", "oneOf", message);
        }
        if let Some(file) = &self.external {
            check_text(&file.url, 2000, "/icon/external/url", violations);
        }
    }
}

impl PageCover {
    /// A picture at this address.
    pub fn external(url: impl Into<String>) -> Self {
        Self {
            kind: CoverKind::External,
            external: ExternalFile { url: url.into() },
        }
    }

    pub(crate) fn check(&self, violations: &mut Violations) {
        check_text(&self.external.url, 2000, "/cover/external/url", violations);
    }
}
