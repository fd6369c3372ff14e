//! Validated names and ids.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, ErrorKind, Result};

/// Your application's own ID of its user: any text of 1 to 256 characters, without control characters, and not `.` or
/// `..`. For a new account, it also can't have invisible characters, or start or end with a space.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(into = "String")]
pub struct Identifier(#[schemars(length(min = 1, max = 256))] String);

impl Identifier {
    /// Validates a text as an identifier.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if it is empty, longer than 256 characters, has a control character, or is `.` or
    /// `..`. HTTP clients remove those two from paths, even if they're encoded (URL Standard).
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        if matches!(text.as_str(), "." | "..") {
            return Err(Error::invalid_at(
                "/identifier",
                format!("{text:?} can't be an identifier, because it can't be part of a path"),
            ));
        }
        Self::stored(text)
    }

    /// An identifier that was accepted earlier.
    fn stored(text: String) -> Result<Self> {
        let characters = text.chars().count();
        if characters == 0 || characters > 256 || text.chars().any(char::is_control) {
            return Err(Error::invalid_at(
                "/identifier",
                "an identifier has 1 to 256 characters and no control characters",
            ));
        }
        Ok(Self(text))
    }

    /// Rejects an identifier of a new account that can look like another one. Existing identifiers keep working.
    #[cfg(feature = "platform")]
    pub(crate) fn check_new(&self) -> Result<()> {
        let text = self.as_str();
        if text.trim() == text && !text.chars().any(is_invisible) {
            return Ok(());
        }
        Err(Error::invalid_at(
            "/identifier",
            "the identifier of a new account can't start or end with a space, or contain invisible characters such as zero-width spaces",
        ))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Characters that are invisible or change how others are shown: format characters (Cf), line separators and fillers.
#[cfg(feature = "platform")]
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
            | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Identifiers that were stored before dots were rejected stay readable.
impl<'de> Deserialize<'de> for Identifier {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::stored(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// Name of a connection, which you choose: 1 to 64 letters, digits, `-`, `_` and `.`, starting with a letter or a
/// digit.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct ConnectionName(#[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))] String);

impl ConnectionName {
    /// Validates a text as a connection's name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if it breaks this rule.
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        let well_formed = text.len() <= 64
            && text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
        if !well_formed {
            return Err(Error::invalid_at(
                "/connection_name",
                "a connection name has 1 to 64 letters, digits, '-', '_' or '.', and starts with a letter or a digit",
            ));
        }
        Ok(Self(text))
    }
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! text_type {
    ($($type:ident),+) => { $(
        impl TryFrom<String> for $type {
            type Error = Error;
            fn try_from(text: String) -> Result<Self> { Self::new(text) }
        }
        impl FromStr for $type {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self> { Self::new(text) }
        }
        impl From<$type> for String {
            fn from(value: $type) -> Self { value.0 }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
    )+ };
}
text_type!(Identifier, ConnectionName);

macro_rules! id_type {
    ($($(#[doc = $doc:literal])+ $type:ident, $prefix:literal;)+) => { $(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $type(Uuid);

        impl $type {
            /// Prefix of its text.
            pub const PREFIX: &'static str = $prefix;
            /// The id with these bytes.
            pub const fn from_uuid(uuid: Uuid) -> Self { Self(uuid) }
            /// Its bytes.
            pub const fn uuid(self) -> Uuid { self.0 }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, self.0.as_simple())
            }
        }
        impl FromStr for $type {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self> {
                text.strip_prefix($prefix)
                    .filter(|digits| digits.len() == 32)
                    .and_then(|digits| Uuid::try_parse(digits).ok())
                    .map(Self)
                    .ok_or_else(|| Error::new(ErrorKind::InvalidRequest, concat!("an id of this kind is ", $prefix, " and 32 hex digits")))
            }
        }
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
        impl JsonSchema for $type {
            fn inline_schema() -> bool { true }
            fn schema_name() -> Cow<'static, str> { stringify!($type).into() }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": concat!("^", $prefix, "[0-9a-f]{32}$") })
            }
        }
    )+ };
}

id_type! {
    /// ID of a connection.
    ConnectionId, "conn_";
    /// ID of an account.
    AccountId, "acct_";
    /// ID of an authorization.
    AuthorizationId, "auth_";
    /// ID of an execution.
    ExecutionId, "exec_";
    /// ID of an event.
    EventId, "evt_";
    /// ID of a webhook.
    WebhookId, "hook_";
    /// ID of an outbox entry.
    OutboxId, "out_";
    /// ID of a data key.
    DataKeyId, "key_";
    /// ID of an account token.
    AccountTokenId, "tok_";
    /// ID of an MCP session.
    McpSessionId, "mcp_";
    /// ID of an approval.
    ApprovalId, "appr_";
    /// ID of a member.
    MemberId, "mem_";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_any_printable_text() {
        for good in ["a/b %2F@ü", " ", &"x".repeat(256)] {
            assert_eq!(Identifier::new(good).unwrap().as_str(), good);
        }
        for bad in ["", ".", "..", "a\nb", "\u{7f}", &"x".repeat(257)] {
            assert_eq!(
                Identifier::new(bad).unwrap_err().kind(),
                ErrorKind::InvalidRequest,
                "{bad:?}"
            );
        }
    }

    #[test]
    #[cfg(feature = "platform")]
    fn a_new_identifier_cannot_look_like_another() {
        for good in ["a b", "a/b %2F@ü", "李雷", "👍"] {
            Identifier::new(good).unwrap().check_new().unwrap();
        }
        for bad in [
            " ",
            "a ",
            "\u{a0}a",
            "a\u{3000}",
            "a\u{202e}b",
            "a\u{2066}b",
            "a\u{200b}",
            "\u{feff}a",
            "a\u{ad}b",
            "a\u{e0041}",
        ] {
            let taken_before = Identifier::new(bad).unwrap();
            let error = taken_before.check_new().unwrap_err();
            assert_eq!(error.violation_list()[0].path, "/identifier", "{bad:?}");
        }
    }

    #[test]
    fn a_stored_identifier_of_dots_is_still_read() {
        let read: Identifier = serde_json::from_str("\"..\"").unwrap();
        assert_eq!(read.as_str(), "..");
        assert!(serde_json::from_str::<Identifier>("\"\"").is_err());
    }

    #[test]
    fn connection_names_are_one_plain_segment() {
        for good in ["mail", "MY-mail_2.prod", "9"] {
            assert!(ConnectionName::new(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "-a", "a/b", "a b", "ü", &"x".repeat(65)] {
            assert!(ConnectionName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ids_read_back() {
        let id = ConnectionId::from_uuid(Uuid::from_u128(7));
        assert_eq!(id.to_string(), "conn_00000000000000000000000000000007");
        assert_eq!(id.to_string().parse::<ConnectionId>().unwrap(), id);
        assert!(
            "acct_00000000000000000000000000000007"
                .parse::<ConnectionId>()
                .is_err()
        );
    }
}
