//! The audit log: who changed what.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Page;
use crate::{
    Error, Result,
    api::{Form, Paging, Query, QueryValue, QueryWriter, operations, query, resource},
    caller::Actor,
    scope::ScopeName::AuditRead,
};
#[cfg(feature = "platform")]
use crate::{digest::Digest, domain::Extra};

operations! {
    /// Lists audit entries: who changed what.
    list: ListAuditEntries { ; query filter: AuditFilter, query page: Paging } -> Page<AuditEntry>
        = GET "/v1/audit" { scope: Some(AuditRead) }
    /// Verifies the chain of the audit log.
    verify: VerifyAudit { ; query expected: ExpectedAudit } -> AuditVerification
        = GET "/v1/audit/verify" { scope: Some(AuditRead) }
}

query! {
    /// The entry that a verification of the audit log needs to find.
    pub struct ExpectedAudit {
        /// NUMBER:HASH from an earlier verification.
        pub expect: Option<AuditHead>,
    }
}

impl ExpectedAudit {
    /// The entry that an earlier verification ended with, if there is one.
    pub fn new(expect: Option<AuditHead>) -> Self {
        Self { expect }
    }
}

impl QueryValue for Option<AuditHead> {
    const FORM: Form = Form::Text;
    fn read(query: &mut Query, name: &'static str) -> Result<Self> {
        query.text(name)?.map(|text| text.parse()).transpose()
    }
    fn write(&self, name: &str, query: &mut QueryWriter) {
        query.text(name, self.as_ref().map(ToString::to_string).as_deref());
    }
}

resource! {
    /// A change to a connection, an account's state, a credential, a key, a webhook or another resource.
    #[schemars(example = json!({
        "number": 2, "at": "2026-11-22T13:38:43Z",
        "actor": { "type": "application", "id": "app_01a2037b035070009412e81b2b61a1aa" },
        "action": "connection.created",
        "target": { "type": "connection", "id": "conn_01a2037b049d70088eaab85ce92ba4ca" },
        "facts": { "connection_name": "mail", "product": "mail" },
        "previous_hash": "8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8",
        "hash": "2babd5d5ea0350469dd15877279bc2a149849a29ae7be3010d6beb34406680c7",
    }))]
    pub struct AuditEntry, stored as AuditEntryRow, shown with (row) {
        /// Number of the entry. Numbers start at 1 and have no gaps.
        pub number: u64 = stored,
        /// When the change was made.
        pub at: Timestamp = stored,
        /// The caller that made the change.
        pub actor: Actor = stored,
        /// The action, such as `connection.changed`.
        pub action: String = stored,
        /// The resource that was changed.
        pub target: AuditTarget = stored,
        /// More facts, such as the members that were changed. Never contains secrets or users' identifiers.
        // An erasure couldn't remove an identifier.
        pub facts: Map<String, Value> = stored,
        /// ID of the request that made the change, if there was one.
        pub request_id: Option<String> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// Hash of the previous entry. 64 zeros for the first one.
        pub previous_hash: String = computed row.previous_hash.as_str().to_owned(),
        private previous_hash: Digest,
        /// SHA-256, in hexadecimal, over `previous_hash` and the other members as JSON without spaces, sorted by their
        /// names.
        pub hash: String = computed row.hash.as_str().to_owned(),
        private hash: Digest,
        /// Other members of the stored body. Members from a newer version also count in the hash.
        #[serde(flatten)]
        private extra: Extra,
    }
}

/// The resource that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AuditTarget {
    /// Type: `connection`, `account`, `app_credential` or another word that actions start with.
    #[serde(rename = "type")]
    pub kind: String,
    /// ID.
    pub id: String,
}

query! {
    /// Which audit entries to list. All of them by default.
    pub struct AuditFilter {
        /// Only this action. With `.*` at the end, all actions that start with it.
        pub action: Option<String>,
        /// Only by this actor. Give its ID, or its type if it has no ID.
        pub actor: Option<String>,
        /// Only changes to the target with this ID.
        pub target: Option<String>,
    }
}

/// The last entry of the log. Store it elsewhere to detect later whether entries at the end were removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers make it from what they have kept"
)]
pub struct AuditHead {
    /// Number of the entry.
    pub number: u64,
    /// Its hash.
    pub hash: String,
}

impl fmt::Display for AuditHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.hash)
    }
}

impl FromStr for AuditHead {
    type Err = Error;

    /// Reads `NUMBER:HASH`.
    fn from_str(text: &str) -> Result<Self> {
        let read = text.split_once(':').and_then(|(number, hash)| {
            let number = number.parse().ok().filter(|number| *number > 0)?;
            let hash = hash.to_ascii_lowercase();
            let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hash.then_some(Self { number, hash })
        });
        read.ok_or_else(|| {
            Error::invalid_at(
                "/expect",
                "expected NUMBER:HASH from a verification: a number and 64 hexadecimal digits",
            )
        })
    }
}

/// Result of a verification of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "head": { "number": 2, "hash": "2babd5d5ea0350469dd15877279bc2a149849a29ae7be3010d6beb34406680c7" },
}))]
#[non_exhaustive]
pub struct AuditVerification {
    /// The last entry up to which the log is valid. Absent if the log is empty or its first entry isn't valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<AuditHead>,
    /// The first fault. Absent if the whole log is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<AuditFault>,
    /// Rows of the database that someone wrote or deleted without the key. At most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspect_rows: Vec<SuspectRow>,
}

#[cfg(feature = "platform")]
impl AuditVerification {
    pub(crate) fn new(
        head: Option<AuditHead>,
        fault: Option<AuditFault>,
        suspect_rows: Vec<SuspectRow>,
    ) -> Self {
        Self {
            head,
            fault,
            suspect_rows,
        }
    }
}

/// A row that someone wrote or deleted without the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SuspectRow {
    /// Name of the table.
    pub table: String,
    /// ID of the row: a client ID, a policy's name or a digest.
    pub id: String,
    /// The fault, in one sentence.
    pub message: String,
}

#[cfg(feature = "platform")]
impl SuspectRow {
    pub(crate) fn new(table: &str, id: String, message: impl Into<String>) -> Self {
        Self {
            table: table.to_owned(),
            id,
            message: message.into(),
        }
    }
}

/// The first entry that isn't valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AuditFault {
    /// Number that the entry has or should have.
    pub number: u64,
    /// The fault, in one sentence.
    pub message: String,
}

#[cfg(feature = "platform")]
impl AuditFault {
    pub(crate) fn new(number: u64, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { number, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_head_can_be_parsed() {
        let head = AuditHead {
            number: 7,
            hash: "ab".repeat(32),
        };
        assert_eq!(head.to_string().parse::<AuditHead>().unwrap(), head);
        for wrong in [
            "",
            "7",
            "7:",
            "7:ab",
            "x:00",
            ":",
            &format!("0:{}", "ab".repeat(32)),
        ] {
            assert!(wrong.parse::<AuditHead>().is_err(), "{wrong}");
        }
    }
}
