//! Rich text: a list of pieces, each with its own style.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_core::error::Violations;

use crate::limits::{ITEMS, check_array, check_text};

/// A piece of rich text (Notion API, "Rich text").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The product also returns these members, which repeat the content of the others.
#[schemars(extend(
    "x-ignored" = ["plain_text", "href"],
    "x-brief" = "`{\"text\": {\"content\": \"Hi\", \"link\": {\"url\": \"https://…\"}}, \"annotations\": {\"bold\": true, \"color\": \"red\"}}`, or `mention` or `equation` instead of `text`."
))]
pub struct RichText {
    /// Kind of piece. When absent, the given member tells.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<RichTextKind>,
    /// Plain text, for the type `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    /// Mention of a user, page, database or date, for the type `mention`, such as `{"page": {"id": "…"}}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mention: Option<Map<String, Value>>,
    /// Formula, for the type `equation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equation: Option<Equation>,
    /// Style of the piece; plain when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
}

/// Kind of a piece of rich text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RichTextKind {
    /// Plain text.
    Text,
    /// A mention.
    Mention,
    /// A formula.
    Equation,
}

/// Plain text, optionally with a link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The text, at most 2,000 characters.
    pub content: String,
    /// Link: `{"url": "https://…"}`; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Map<String, Value>>,
}

/// A formula.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Equation {
    /// The formula in KaTeX, at most 1,000 characters.
    pub expression: String,
}

/// Style of a piece of rich text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Annotations {
    /// Whether it is bold; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bold: Option<bool>,
    /// Whether it is italic; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub italic: Option<bool>,
    /// Whether it is struck through; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strikethrough: Option<bool>,
    /// Whether it is underlined; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline: Option<bool>,
    /// Whether it's formatted as code; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<bool>,
    /// Colour, such as `red` or `red_background`; `default` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

impl RichText {
    /// Plain text.
    pub fn plain(content: impl Into<String>) -> Self {
        let text = Text {
            content: content.into(),
            link: None,
        };
        Self {
            kind: Some(RichTextKind::Text),
            text: Some(text),
            ..Self::default()
        }
    }
}

/// Checks pieces: each must have one kind, and a length that the product allows.
pub(crate) fn check(pieces: &[RichText], path: &str, violations: &mut Violations) {
    check_array(pieces.len(), ITEMS, path, violations);
    for (index, piece) in pieces.iter().enumerate() {
        let path = format!("{path}/{index}");
        let given: Vec<RichTextKind> = [
            (piece.text.is_some(), RichTextKind::Text),
            (piece.mention.is_some(), RichTextKind::Mention),
            (piece.equation.is_some(), RichTextKind::Equation),
        ]
        .into_iter()
        .filter_map(|(given, kind)| given.then_some(kind))
        .collect();
        let fits = match given.as_slice() {
            [only] => piece.kind.is_none_or(|kind| kind == *only),
            _ => false,
        };
        if !fits {
            let message = "a piece of rich text needs exactly one of text, mention and equation, and a matching type";
            violations.add(&path, "oneOf", message);
        }
        if let Some(text) = &piece.text {
            check_text(
                &text.content,
                2000,
                &format!("{path}/text/content"),
                violations,
            );
            check_link(text, &path, violations);
        }
        if let Some(equation) = &piece.equation {
            check_text(
                &equation.expression,
                1000,
                &format!("{path}/equation/expression"),
                violations,
            );
        }
    }
}

fn check_link(text: &Text, path: &str, violations: &mut Violations) {
    let Some(link) = &text.link else { return };
    match link.get("url").and_then(Value::as_str) {
        Some(url) if link.len() == 1 => {
            check_text(url, 2000, &format!("{path}/text/link/url"), violations);
        }
        _ => violations.add(
            &format!("{path}/text/link"),
            "required",
            "a link must be {\"url\": \"https://…\"}",
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stead_testkit::cases;

    use super::*;

    fn faults(pieces: &Value) -> Vec<String> {
        let pieces: Vec<RichText> = serde_json::from_value(pieces.clone()).unwrap();
        let mut found = Violations::default();
        check(&pieces, "", &mut found);
        let violations = found
            .finish()
            .map_or_else(|error| error.violation_list().to_vec(), |()| Vec::new());
        violations
            .into_iter()
            .map(|violation| format!("{} {}", violation.path, violation.keyword))
            .collect()
    }

    fn check_all(table: &str) {
        for [pieces, expected] in cases(table) {
            let found = faults(&serde_json::from_str(pieces).unwrap());
            assert_eq!(found.join(", "), expected, "{pieces}");
        }
    }

    #[test]
    fn a_piece_is_one_thing() {
        check_all(
            r#"
            [{"text": {"content": "a"}}, {"type": "equation", "equation": {"expression": "e"}}] =>
            [{"mention": {"page": {"id": "x"}}, "annotations": {"bold": true}}] =>
            [{}] => /0 oneOf
            [{"type": "mention", "text": {"content": "a"}}] => /0 oneOf
            [{"text": {"content": "a"}, "equation": {"expression": "e"}}] => /0 oneOf
        "#,
        );
    }

    #[test]
    fn a_link_is_a_url() {
        check_all(
            r#"
            [{"text": {"content": "a", "link": {"url": "https://a.example"}}}] =>
            [{"text": {"content": "a", "link": {"href": "x"}}}] => /0/text/link required
        "#,
        );
    }

    #[test]
    fn lengths_are_those_of_the_product() {
        let long = "🦀".repeat(1001);
        assert_eq!(
            faults(&json!([{"text": {"content": long}}])),
            ["/0/text/content maxLength"]
        );
        assert!(faults(&json!([{"text": {"content": "x".repeat(2000)}}])).is_empty());
        let many: Vec<Value> = (0..101)
            .map(|_| json!({"text": {"content": "a"}}))
            .collect();
        assert_eq!(faults(&json!(many)), [" maxItems"]);
    }
}
