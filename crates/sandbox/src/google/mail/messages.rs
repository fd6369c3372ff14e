//! Messages, threads, attachments, drafts and the mailbox's profile, as Gmail shows them.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::URL_SAFE};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    mailbox_mut, mailbox_owner,
    outgoing::{self, Written, reference},
    search::Search,
};

use crate::{
    google::{
        ApiError, Call, Members as _, State, collection,
        world::{
            Mailbox,
            mime::{Content, Message, Part},
        },
    },
    shared,
};

/// The largest number of labels to add or to remove.
const MAX_LABELS: usize = 100;
/// Labels that only Gmail can set.
const OWN_LABELS: [&str; 3] = ["CHAT", "DRAFT", "SENT"];

/// `getProfile`: the mailbox's address and totals.
pub(super) fn profile(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let user = mailbox_owner(state, call)?;
    let messages = &user.mailbox.messages;
    let threads = messages.iter().map(|message| message.thread_id.as_str());
    let threads: BTreeSet<&str> = threads.collect();
    Ok(json!({
        "emailAddress": user.email,
        "messagesTotal": messages.len(),
        "threadsTotal": threads.len(),
        "historyId": user.mailbox.history_id.to_string(),
    }))
}

/// `messages.list`: searches messages and lists their IDs in pages.
pub(super) fn list(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let user = mailbox_owner(state, call)?;
    let found = matching(&user.mailbox, call, state.now)?.into_iter();
    let items = found.map(|message| json!({"id": message.id, "threadId": message.thread_id}));
    page(call, "messages", items.collect())
}

/// `messages.get`: one message in the format that the call asks for.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let format = Format::of(call)?;
    let found = mailbox_owner(state, call)?
        .mailbox
        .message(call.variable(1))
        .cloned();
    let found = found.ok_or_else(ApiError::not_found)?;
    Ok(message(state, &found, &format))
}

/// `messages.send`: sends a mail.
pub(super) fn send(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    mailbox_owner(state, call)?;
    let written = Written::read(call, Some(&call.body))?;
    written.ok_or_else(outgoing::missing)?.send(state, call)
}

/// `messages.delete`: permanently deletes a message without moving it to the trash.
pub(super) fn delete(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let deleted = mailbox_mut(state, call)?.delete(call.variable(1));
    deleted.map(|_| Value::Null).ok_or_else(ApiError::not_found)
}

/// `messages.modify`: adds and removes labels of a message.
pub(super) fn modify(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (added, removed) = (
        call.body.texts("addLabelIds"),
        call.body.texts("removeLabelIds"),
    );
    if added.is_empty() && removed.is_empty() {
        return Err(ApiError::invalid("No label add or removes specified"));
    }
    if added.iter().any(|id| removed.contains(id)) {
        return Err(ApiError::invalid(
            "Cannot both add and remove the same label",
        ));
    }
    if added.len().max(removed.len()) > MAX_LABELS {
        let message = format!("At most {MAX_LABELS} labels can be added or removed.");
        return Err(ApiError::invalid(message));
    }
    change_labels(state, call, &added, &removed)
}

/// `messages.trash`.
pub(super) fn trash(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    change_labels(state, call, &["TRASH".to_owned()], &["INBOX".to_owned()])
}

/// `messages.untrash`.
pub(super) fn untrash(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    change_labels(state, call, &[], &["TRASH".to_owned()])
}

fn change_labels(
    state: &mut State,
    call: &Call,
    added: &[String],
    removed: &[String],
) -> Result<Value, ApiError> {
    let id = call.variable(1);
    let mailbox = mailbox_mut(state, call)?;
    mailbox.message(id).ok_or_else(ApiError::not_found)?;
    for label in added.iter().chain(removed) {
        if !mailbox.has_label(label) || OWN_LABELS.contains(&label.as_str()) {
            return Err(ApiError::invalid(format!("Invalid label: {label}")));
        }
    }
    let changed = mailbox.change_labels(id, added, removed);
    changed.map(reference).ok_or_else(ApiError::not_found)
}

/// `messages.attachments.get`: the bytes of an attachment.
pub(super) fn attachment(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let message = mailbox_owner(state, call)?
        .mailbox
        .message(call.variable(1));
    let message = message.ok_or_else(ApiError::not_found)?;
    let generation = state.world.attachment_generation;
    let part = part_id(call.variable(2), generation, &message.id)
        .and_then(|id| message.leaf(&id))
        .filter(|part| part.is_file())
        .ok_or_else(|| ApiError::invalid("Invalid attachment token"))?;
    Ok(json!({"size": part.bytes().len(), "data": URL_SAFE.encode(part.bytes())}))
}

/// The part for an attachment ID. `None` if the ID is for another message or generation.
fn part_id(id: &str, generation: u64, message_id: &str) -> Option<String> {
    let text = shared::open(ATTACHMENT, id.strip_prefix("ANGjdJ")?)?;
    let mut words = text.split('|');
    let current = words.next()? == generation.to_string() && words.next()? == message_id;
    let part = words.next()?;
    current.then(|| part.to_owned())
}

/// `threads.list`: lists a thread if one of its messages matches. Sorts by the newest message.
pub(super) fn list_threads(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let fitting = matching(mailbox, call, state.now)?;
    let mut seen = BTreeSet::new();
    let newest = mailbox.messages.iter().filter(|newest| {
        let thread = newest.thread_id.as_str();
        fitting.iter().any(|message| message.thread_id == thread) && seen.insert(thread)
    });
    let items = newest.map(|newest| {
        json!({
            "id": newest.thread_id,
            "snippet": snippet(newest),
            "historyId": newest.history_id.to_string(),
        })
    });
    page(call, "threads", items.collect())
}

/// `threads.get`: one thread with its messages, oldest first.
pub(super) fn get_thread(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let format = Format::of(call)?;
    let id = call.variable(1);
    let messages = mailbox_owner(state, call)?.mailbox.messages.iter().rev();
    let found: Vec<Message> = messages
        .filter(|message| message.thread_id == id)
        .cloned()
        .collect();
    let newest = found.last().ok_or_else(ApiError::not_found)?;
    let history = newest.history_id.to_string();
    let messages = found.iter().map(|found| message(state, found, &format));
    let messages: Vec<Value> = messages.collect();
    Ok(json!({"id": id, "historyId": history, "messages": messages}))
}

/// The messages that match the call's filters, newest first.
pub(super) fn matching<'mailbox>(
    mailbox: &'mailbox Mailbox,
    call: &Call,
    now: Timestamp,
) -> Result<Vec<&'mailbox Message>, ApiError> {
    let query = call.text("q").unwrap_or_default();
    // A token with gmail.metadata can't search, even if it also has a wider scope (messages.list, `q`).
    if !query.is_empty() && call.has_scope("gmail.metadata") {
        let message = "Metadata scope does not support 'q' parameter";
        return Err(ApiError::forbidden(message));
    }
    let search = Search::parse(query, now)?;
    let labels: Vec<&str> = call.query.all("labelIds").collect();
    if let Some(label) = labels.iter().find(|label| !mailbox.has_label(label)) {
        return Err(ApiError::invalid(format!("Invalid label: {label}")));
    }
    let is_hidden = |label: &str| matches!(label, "SPAM" | "TRASH");
    let hidden_too = call.flag("includeSpamTrash")
        || search.searches_everywhere()
        || labels.iter().any(|label| is_hidden(label));
    let found = mailbox.messages.iter().filter(|message| {
        (hidden_too || !message.labels.iter().any(|label| is_hidden(label)))
            && labels.iter().all(|label| message.has_label(label))
            && search.matches(message, mailbox)
    });
    Ok(found.collect())
}

/// One page as a response. `name` is absent if there are no items.
pub(super) fn page(call: &Call, name: &str, items: Vec<Value>) -> Result<Value, ApiError> {
    let size = collection::size(call, "maxResults", 100, 500)?;
    let page = collection::page(call, items, size, &["maxResults"])?;
    let mut response = json!({"resultSizeEstimate": page.total});
    if !page.items.is_empty() {
        response[name] = Value::Array(page.items);
    }
    if let Some(next) = page.next {
        response["nextPageToken"] = json!(next);
    }
    Ok(response)
}

/// `drafts.list`: searches drafts and lists their IDs in pages.
pub(super) fn list_drafts(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let fitting = matching(mailbox, call, state.now)?;
    let items = mailbox.drafts.iter().filter_map(|draft| {
        let mut fitting = fitting.iter();
        let message = fitting.find(|message| message.id == draft.message_id)?;
        Some(json!({
            "id": draft.id,
            "message": {"id": message.id, "threadId": message.thread_id},
        }))
    });
    page(call, "drafts", items.collect())
}

/// `drafts.get`: one draft with its message.
pub(super) fn get_draft(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let format = Format::of(call)?;
    let id = call.variable(1);
    let held = mailbox_owner(state, call)?.mailbox.draft(id).cloned();
    let held = held.ok_or_else(ApiError::not_found)?;
    Ok(json!({"id": id, "message": message(state, &held, &format)}))
}

/// `drafts.create`: saves a mail as a draft.
pub(super) fn create_draft(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    mailbox_owner(state, call)?;
    let message = written(call)?
        .ok_or_else(outgoing::missing)?
        .keep(state, call)?;
    shown_draft(state, call, &message)
}

/// `drafts.update`: replaces the message of a draft.
pub(super) fn update_draft(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let id = call.variable(1);
    let before = mailbox_owner(state, call)?.mailbox.draft(id);
    let before = before.ok_or_else(ApiError::not_found)?.id.clone();
    let message = written(call)?
        .ok_or_else(outgoing::missing)?
        .keep(state, call)?;
    let mailbox = mailbox_mut(state, call)?;
    mailbox.delete(&before);
    for draft in &mut mailbox.drafts {
        if draft.message_id == message {
            id.clone_into(&mut draft.id);
        }
    }
    shown_draft(state, call, &message)
}

/// `drafts.send`: sends a draft and removes it from the drafts.
pub(super) fn send_draft(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let given = written(call)?;
    let Some(id) = call.body.text("id").filter(|id| !id.is_empty()) else {
        // Gmail also sends a mail that isn't a draft.
        return given.ok_or_else(outgoing::missing)?.send(state, call);
    };
    let kept = mailbox.draft(id).ok_or_else(ApiError::not_found)?;
    let before = kept.id.clone();
    let kept = outgoing::of_draft(kept);
    let sent = given.unwrap_or(kept).send(state, call)?;
    mailbox_mut(state, call)?.delete(&before);
    Ok(sent)
}

/// `drafts.delete`: permanently deletes a draft.
pub(super) fn delete_draft(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = mailbox_mut(state, call)?;
    let message = mailbox.draft(call.variable(1));
    let id = message.ok_or_else(ApiError::not_found)?.id.clone();
    mailbox.delete(&id);
    Ok(Value::Null)
}

/// The message in the `Draft` of the body.
fn written(call: &Call) -> Result<Option<Written>, ApiError> {
    Written::read(call, call.body.object("message"))
}

/// Shows the `Draft` of a message.
fn shown_draft(state: &State, call: &Call, message_id: &str) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let mut drafts = mailbox.drafts.iter();
    let draft = drafts.find(|draft| draft.message_id == message_id);
    match (draft, mailbox.message(message_id)) {
        (Some(draft), Some(message)) => Ok(json!({"id": draft.id, "message": reference(message)})),
        _ => Err(ApiError::not_found()),
    }
}

/// The purpose for which attachment IDs are sealed.
pub(super) const ATTACHMENT: &str = "attachment";
/// About how many letters a snippet has.
const SNIPPET_LETTERS: usize = 200;
/// How many random bytes an attachment ID has. Gmail's real IDs have hundreds of letters.
const ATTACHMENT_NOISE: usize = 180;

/// How much of a message to return (users.messages.get, `format`).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// IDs, labels, snippet, date and size.
    Minimal,
    /// Everything except the bytes of files.
    Full,
    /// The message as it was sent.
    Raw,
    /// The same as minimal, with all headers or with those that are named.
    Metadata(Vec<String>),
}

impl Format {
    /// The format that the call asks for, if the token's scopes allow it.
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

/// Shows a `Message`. Each call creates new attachment IDs.
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

/// The beginning of the text in one line, with HTML escapes as in Gmail.
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

/// Shows a `MessagePart`. The parts of an attached message have no attachment ID, because the attached message is
/// downloaded as a whole.
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

/// Creates a new ID each time. Old IDs stay valid until a fault invalidates them.
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
