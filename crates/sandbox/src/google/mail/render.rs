//! A message in the four formats of Gmail.

use base64::{Engine as _, engine::general_purpose::URL_SAFE};
use serde_json::{Value, json};

use crate::{
    google::{
        ApiError, Call, State,
        world::mime::{Content, Message, Part},
    },
    shared,
};

/// Purpose under which attachment ids are sealed.
pub(super) const ATTACHMENT: &str = "attachment";
/// Letters of a snippet, roughly.
const SNIPPET_LETTERS: usize = 200;
/// Random bytes in an attachment id; the real ones are hundreds of letters long.
const ATTACHMENT_NOISE: usize = 180;

/// How much of a message is given (users.messages.get, `format`).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Ids, labels, snippet, date, size.
    Minimal,
    /// Everything but the bytes of files.
    Full,
    /// The message as it travelled.
    Raw,
    /// As minimal, and headers: all, or those of these names.
    Metadata(Vec<String>),
}

impl Format {
    /// The format that a call asks for, if the token's scopes allow it.
    pub(super) fn of(call: &Call) -> Result<Self, ApiError> {
        let format = match call.text("format") {
            Some("minimal") => Self::Minimal,
            Some("raw") => Self::Raw,
            Some("metadata") => Self::Metadata(
                call.query
                    .all("metadataHeaders")
                    .map(str::to_owned)
                    .collect(),
            ),
            _ => Self::Full,
        };
        let name = match format {
            Self::Full => "FULL",
            Self::Raw => "RAW",
            _ => return Ok(format),
        };
        if call.has_scope("gmail.metadata") {
            return Err(ApiError::forbidden(format!(
                "Metadata scope doesn't allow format {name}"
            )));
        }
        Ok(format)
    }
}

/// `Message`. Each call mints fresh attachment ids.
pub(super) fn message(state: &mut State, message: &Message, format: &Format) -> Value {
    let mut value = json!({
        "id": message.id,
        "threadId": message.thread_id,
        "labelIds": message.labels,
        "snippet": snippet(message),
        "historyId": message.history_id.to_string(),
        "internalDate": message.received.as_millisecond().to_string(),
        "sizeEstimate": message.size,
    });
    match format {
        Format::Minimal => {}
        Format::Raw => value["raw"] = json!(URL_SAFE.encode(message.raw())),
        Format::Metadata(names) => {
            value["payload"] = json!({
                "mimeType": message.root.mime_type,
                "headers": headers(&message.root, names),
            });
        }
        Format::Full => value["payload"] = part(state, &message.id, &message.root, false),
    }
    value
}

/// The beginning of the text in one line, escaped for HTML as Gmail does.
pub(super) fn snippet(message: &Message) -> String {
    let text = message.text();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut end = line.len();
    if let Some((place, _)) = line.char_indices().nth(SNIPPET_LETTERS) {
        end = line[..place].rfind(' ').unwrap_or(place);
    }
    line[..end]
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// `MessagePart`. The parts of an attached message have no attachment id, because the attached message is
/// fetched as a whole.
fn part(state: &mut State, message_id: &str, part: &Part, attached: bool) -> Value {
    let body = if attached && part.is_file() {
        json!({"size": part.bytes().len()})
    } else {
        body(state, message_id, part)
    };
    let mut value = json!({
        "partId": part.id,
        "mimeType": part.mime_type,
        "filename": part.filename,
        "headers": headers(part, &[]),
        "body": body,
    });
    if !part.parts.is_empty() {
        let attached = attached || part.is_file();
        let parts: Vec<Value> = part
            .parts
            .iter()
            .map(|part| self::part(state, message_id, part, attached))
            .collect();
        value["parts"] = json!(parts);
    }
    value
}

fn body(state: &mut State, message_id: &str, part: &Part) -> Value {
    match part.content {
        Content::Parts(_) => json!({"size": 0}),
        Content::Text(..) => json!({
            "size": part.bytes().len(),
            "data": URL_SAFE.encode(part.bytes()),
        }),
        Content::File(_) => json!({
            "size": part.bytes().len(),
            "attachmentId": attachment_id(state, message_id, &part.id),
        }),
    }
}

/// A fresh id each time; old ones stay valid until a fault ends them.
fn attachment_id(state: &mut State, message_id: &str, part_id: &str) -> String {
    let noise = state.ids.fresh(ATTACHMENT, ATTACHMENT_NOISE);
    let generation = state.world.attachment_generation;
    let text = format!("{generation}|{message_id}|{part_id}|{noise}");
    format!("ANGjdJ{}", shared::seal(ATTACHMENT, &text))
}

fn headers(part: &Part, names: &[String]) -> Vec<Value> {
    part.headers
        .iter()
        .filter(|(name, _)| {
            names.is_empty() || names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name))
        })
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect()
}
