//! Handles: encrypted references to parts of results. Stead stores nothing for them.
//!
//! Opening a handle makes its call again. So the call is admitted, limited and recorded like any other, and no second
//! rule decides who can read a result. Only calls that read have handles, because a write is never repeated.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    context::{Context, Snapshot},
    identifier::AccountId,
    resource::{ExecuteRequest, LeftOut},
    results::{Part, View},
    sealed::place,
    tool::{ToolEntry, Warning, Whole, WholeKind},
};

/// Prefix of every handle.
const PREFIX: &str = "file_";
/// Lifetime of a handle.
const LIFE: SignedDuration = SignedDuration::from_hours(24);
/// Maximum length of a handle. It's part of a request's path, and servers on the way often limit that to 8 kB.
const LONGEST: usize = 4_096;
/// If an input takes more bytes in memory, its JSON is too long for a handle.
pub(in crate::call) const LARGEST_INPUT: u64 = 128 * 1024;

/// The account of a call. A later account with the same names is a different one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::call) struct Owner {
    #[serde(rename = "a")]
    account_id: AccountId,
    #[serde(rename = "d", default, skip_serializing_if = "is_zero")]
    disconnections: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Owner {
    fn of(snapshot: &Snapshot) -> Self {
        Self {
            account_id: snapshot.account.id,
            disconnections: snapshot.account.disconnections,
        }
    }

    /// Rejects an account that was disconnected or erased since.
    pub(in crate::call) fn check(self, snapshot: &Snapshot) -> Result<()> {
        match self == Self::of(snapshot) {
            true => Ok(()),
            false => Err(unknown()),
        }
    }
}

/// The call to repeat, and the part of its result to extract. Names are short, because models carry the handle.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::call) struct Reference {
    #[serde(rename = "c")]
    connection_name: String,
    #[serde(rename = "i")]
    identifier: String,
    #[serde(flatten)]
    pub(in crate::call) owner: Owner,
    #[serde(rename = "t")]
    pub(in crate::call) tool: String,
    #[serde(rename = "v")]
    version: String,
    #[serde(rename = "n")]
    input: Value,
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
    #[serde(rename = "r", default, skip_serializing_if = "std::ops::Not::not")]
    readable: bool,
    #[serde(rename = "p", default, skip_serializing_if = "String::is_empty")]
    pub(super) pointer: String,
    /// Name and type of a file. Its content is base64.
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<(Option<String>, String)>,
    /// Seconds since 1970.
    #[serde(rename = "e")]
    ends: i64,
}

impl Reference {
    /// The call, with the form of the result that has the whole.
    pub(in crate::call) fn request(&mut self) -> ExecuteRequest {
        let (connection, user) = (&self.connection_name, &self.identifier);
        let mut request = ExecuteRequest::new(connection, user, self.input.take());
        request.tool_version = Some(self.version.clone());
        request.result.fields = std::mem::take(&mut self.fields);
        if self.readable {
            request.result.view = View::Readable;
        }
        request
    }
}

/// A handle for each part of a call's result, with facts about it. They are next to the data: the data keeps its
/// schema, and the same result always gives the same data.
pub(in crate::call) fn handles(
    context: &Context,
    snapshot: &Snapshot,
    entry: &ToolEntry,
    input: Option<&Value>,
    parts: Vec<Part>,
) -> Result<(Vec<LeftOut>, Option<Warning>)> {
    if parts.is_empty() {
        return Ok((Vec::new(), None));
    }
    let ends = context
        .host
        .now()
        .checked_add(LIFE)
        .unwrap_or(Timestamp::MAX);
    let (all, mut left_out) = (parts.len(), Vec::new());
    let mut reference = Reference {
        connection_name: snapshot.connection.name.to_string(),
        identifier: snapshot.account.identifier.to_string(),
        owner: Owner::of(snapshot),
        tool: entry.name().to_owned(),
        version: entry.version().to_owned(),
        input: input.cloned().unwrap_or_default(),
        fields: Vec::new(),
        readable: false,
        pointer: String::new(),
        file: None,
        ends: ends.as_second(),
    };
    for part in parts.into_iter().filter(|_| input.is_some()) {
        let Whole {
            pointer,
            kind,
            size,
            ..
        } = part.whole;
        let (media_type, file) = match kind {
            WholeKind::Text => (String::from("text/plain"), None),
            WholeKind::List => (String::from("application/json"), None),
            WholeKind::File { name, media_type } => {
                let kind = safe_media_type(media_type);
                (kind.clone(), Some((name, kind)))
            }
        };
        reference.fields = part.options.fields;
        reference.readable = part.options.view == View::Readable;
        (reference.pointer, reference.file) = (pointer, file);
        let Some(handle) = seal(context, &reference)? else {
            continue;
        };
        let mut one = LeftOut::new(handle, media_type);
        one.name = reference.file.take().and_then(|(name, _)| name);
        (one.path, one.size) = (part.path, size);
        left_out.push(one);
    }
    let warning = warning(&left_out, all, ends);
    Ok((left_out, Some(warning)))
}

/// The type of a file in a form that is safe in a header: a type and a subtype of plain characters (RFC 9110, 8.3.1).
/// The product's parameters aren't forwarded.
fn safe_media_type(kind: String) -> String {
    let is_token = |part: &str| {
        let plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_');
        !part.is_empty() && part.len() <= 100 && part.bytes().all(plain)
    };
    let parts = kind.split_once('/');
    match parts.is_some_and(|(one, two)| is_token(one) && is_token(two)) {
        true => kind,
        false => String::from("application/octet-stream"),
    }
}

fn warning(left_out: &[LeftOut], all: usize, ends: Timestamp) -> Warning {
    if left_out.is_empty() {
        let message = format!(
            "the omitted parts have no handles, because the call's input is too long for one ({LONGEST} characters); select fewer fields, or set a larger max_bytes"
        );
        return Warning::new("no_handle", message);
    }
    let named: Vec<String> = left_out.iter().map(ToString::to_string).collect();
    let mut message = format!(
        "read all of {} with the handles in left_out; they expire at {ends:.0}",
        named.join(", ")
    );
    if left_out.len() < all {
        message.push_str("; parts without a handle are too long for one");
    }
    Warning::new("left_out", message)
}

/// The handle of a reference. `None` if it would be too long.
fn seal(context: &Context, reference: &Reference) -> Result<Option<String>> {
    let text = context
        .store
        .vault
        .seal_text(&place::ResultPart(), reference)?;
    let handle = format!("{PREFIX}{text}");
    Ok((handle.len() <= LONGEST).then_some(handle))
}

/// The reference of a handle. A handle of another user, or of a connection that the caller can't see, counts as
/// unknown.
pub(in crate::call) async fn open(context: &Context, handle: &str) -> Result<Reference> {
    let encoded = handle.strip_prefix(PREFIX).ok_or_else(unknown)?;
    if handle.len() > LONGEST {
        return Err(unknown());
    }
    let opened = context.store.vault.open_text(&place::ResultPart(), encoded);
    let reference: Reference = opened.await?.ok_or_else(unknown)?;
    let is_own = match context.caller.as_ref() {
        Caller::McpSession(session) => session.identifier.as_str() == reference.identifier,
        _ => true,
    };
    if !is_own || !context.caller.sees(&reference.connection_name) {
        return Err(unknown());
    }
    if reference.ends <= context.host.now().as_second() {
        return Err(Error::new(
            ErrorKind::NotFound,
            "this handle has expired; call the tool again to get a new one",
        ));
    }
    Ok(reference)
}

/// The error for an unknown handle.
pub(in crate::call) fn unknown() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "this handle isn't valid here, or you can't read its content; call the tool again to get a new one",
    )
}
