//! Mails that an application writes. They're read from a request, saved as a draft, or sent.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use mail_parser::MessageParser;
use serde_json::{Map, Value, json};

use super::{mailbox_mut, mailbox_owner};
use crate::{
    google::{
        ApiError, Call, Members as _, State,
        world::{
            mime::{Message, Part},
            parse,
        },
    },
    shared::hex,
    users,
};

/// A mail from a request.
#[derive(Debug)]
pub(super) struct Written {
    raw: Vec<u8>,
    /// The thread that the mail should join.
    thread: Option<String>,
}

impl Written {
    /// Reads the bytes of an upload, or those in `raw`. `None` if there are none.
    pub(super) fn read(
        call: &Call,
        message: Option<&Map<String, Value>>,
    ) -> Result<Option<Self>, ApiError> {
        let text = |name: &str| message.and_then(|message| message.text(name));
        let raw = match (&call.media, text("raw")) {
            (Some(media), _) => media.bytes.to_vec(),
            (None, Some(raw)) if !raw.is_empty() => decode(raw)?,
            (None, _) => return Ok(None),
        };
        let thread = text("threadId").filter(|id| !id.is_empty());
        Ok(Some(Self {
            raw,
            thread: thread.map(str::to_owned),
        }))
    }

    /// Adds what Gmail adds: the sender, the date and an ID. Returns a message for a mailbox.
    fn into_message(
        self,
        state: &mut State,
        call: &Call,
        labels: &[&str],
    ) -> Result<Message, ApiError> {
        let id = fresh_id(state);
        let raw = complete(&self.raw, &call.user, &id, state.now);
        let root = parse(&raw).ok_or_else(missing)?;
        let mailbox = &mailbox_owner(state, call)?.mailbox;
        let thread_id = match self.thread {
            Some(thread) => {
                let mut of_thread = mailbox
                    .messages
                    .iter()
                    .filter(|one| one.thread_id == thread);
                let first = of_thread.next().ok_or_else(ApiError::not_found)?;
                let is_answer = std::iter::once(first)
                    .chain(of_thread)
                    .any(|one| answers(&root, one));
                if is_answer { thread } else { id.clone() }
            }
            None => thread_of(&mailbox.messages, root.header("In-Reply-To"))
                .unwrap_or_else(|| id.clone()),
        };
        Ok(Message {
            id,
            thread_id,
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
            received: state.now,
            history_id: 0,
            size: raw.len(),
            root,
            received_raw: Some(Bytes::from(raw)),
        })
    }

    /// Saves it as a draft. Returns the ID of its message.
    pub(super) fn keep(self, state: &mut State, call: &Call) -> Result<String, ApiError> {
        let message = self.into_message(state, call, &["DRAFT"])?;
        let id = message.id.clone();
        mailbox_mut(state, call)?.add(message);
        Ok(id)
    }

    /// Sends it: adds it to the sent mails, and delivers it to recipients who have an account in the sandbox.
    pub(super) fn send(self, state: &mut State, call: &Call) -> Result<Value, ApiError> {
        let recipients = recipients(&self.raw);
        if recipients.is_empty() {
            return Err(ApiError::invalid("Recipient address required"));
        }
        if let Some(bad) = recipients.iter().find(|address| !is_address(address)) {
            return Err(ApiError::invalid(format!("Invalid To header: {bad}")));
        }
        let to_oneself = recipients.contains(&call.user);
        let labels: &[&str] = if to_oneself {
            &["UNREAD", "SENT", "INBOX"]
        } else {
            &["SENT"]
        };
        let sent = self.into_message(state, call, labels)?;
        for address in recipients.iter().filter(|address| **address != call.user) {
            deliver(state, &sent, address);
        }
        let response = reference(&sent);
        mailbox_mut(state, call)?.add(sent);
        Ok(response)
    }
}

/// The mail in a draft.
pub(super) fn of_draft(message: &Message) -> Written {
    Written {
        raw: message.raw(),
        thread: Some(message.thread_id.clone()).filter(|thread| *thread != message.id),
    }
}

/// The short form in which methods return a message that they changed.
pub(super) fn reference(message: &Message) -> Value {
    json!({"id": message.id, "threadId": message.thread_id, "labelIds": message.labels})
}

/// Delivers a copy to the mailbox of a user of the sandbox. Mails to others are dropped.
fn deliver(state: &mut State, sent: &Message, address: &str) {
    let id = fresh_id(state);
    let Some(user) = state.world.user_mut(address) else {
        return;
    };
    let thread = thread_of(&user.mailbox.messages, sent.root.header("In-Reply-To"));
    let raw = without_bcc(&sent.raw());
    let Some(root) = parse(&raw) else {
        return;
    };
    user.mailbox.add(Message {
        thread_id: thread.unwrap_or_else(|| id.clone()),
        id,
        labels: ["UNREAD", "CATEGORY_PERSONAL", "INBOX"]
            .map(str::to_owned)
            .to_vec(),
        size: raw.len(),
        root,
        received_raw: Some(Bytes::from(raw)),
        ..sent.clone()
    });
}

/// Whether a mail is a reply in the thread of `before`: it names that message, and both have the same subject (Gmail
/// API, `Message.threadId`).
fn answers(mail: &Part, before: &Message) -> bool {
    let own = before.header("Message-ID").map(str::trim);
    let names = ["In-Reply-To", "References"].map(|name| mail.header(name).unwrap_or_default());
    let named = names.iter().flat_map(|header| header.split_whitespace());
    let subject = |text: Option<&str>| {
        let text = text.unwrap_or_default().trim().to_lowercase();
        text.trim_start_matches("re:").trim().to_owned()
    };
    named.into_iter().any(|one| Some(one) == own)
        && subject(mail.header("Subject")) == subject(before.header("Subject"))
}

/// The thread of the message that the mail replies to.
fn thread_of(messages: &[Message], reply_to: Option<&str>) -> Option<String> {
    let reply_to = reply_to?.trim();
    messages
        .iter()
        .find(|message| message.header("Message-ID") == Some(reply_to))
        .map(|message| message.thread_id.clone())
}

/// The addresses in To, Cc and Bcc, in lower case.
fn recipients(raw: &[u8]) -> Vec<String> {
    let Some(message) = MessageParser::new().parse_headers(raw) else {
        return Vec::new();
    };
    let lists = [message.to(), message.cc(), message.bcc()];
    let all = lists.into_iter().flatten().flat_map(|list| list.iter());
    all.map(|one| one.address().unwrap_or_default().to_lowercase())
        .collect()
}

fn is_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !text.contains(char::is_whitespace)
    })
}

/// Adds missing headers and the line ends of a sent mail. `From` is always the user's own address.
fn complete(raw: &[u8], user: &str, id: &str, now: jiff::Timestamp) -> Vec<u8> {
    let (head, body) = split(raw);
    let date = now.strftime("%a, %d %b %Y %H:%M:%S +0000");
    let name = users::find(user).map_or("", |user| user.name);
    let mut lines = vec![format!(
        "Received: from 1 named unknown by gmailapi.google.com with HTTPREST; {date}"
    )];
    let has = |name: &str| head.iter().any(|line| is_header(line, name));
    for (header, value) in [
        ("MIME-Version", "1.0".to_owned()),
        ("Date", date.to_string()),
        ("Message-ID", format!("<CA{id}@mail.gmail.com>")),
    ] {
        if !has(header) {
            lines.push(format!("{header}: {value}"));
        }
    }
    let is_own = |line: &&String| {
        is_header(line, "From") && line.to_lowercase().contains(&user.to_lowercase())
    };
    if !head.iter().any(|line| is_own(&line)) {
        lines.push(format!("From: {name} <{user}>"));
    }
    let others = head
        .iter()
        .filter(|line| !is_header(line, "From") || is_own(line));
    lines.extend(others.cloned());
    joined(&lines, &body)
}

fn without_bcc(raw: &[u8]) -> Vec<u8> {
    let (mut head, body) = split(raw);
    head.retain(|line| !is_header(line, "Bcc"));
    joined(&head, &body)
}

fn joined(head: &[String], body: &[u8]) -> Vec<u8> {
    let mut raw = head.join("\r\n").into_bytes();
    raw.extend_from_slice(b"\r\n\r\n");
    raw.extend_from_slice(body);
    raw
}

fn is_header(line: &str, name: &str) -> bool {
    let given = line.split_once(':').map(|(name, _)| name.trim());
    given.is_some_and(|given| given.eq_ignore_ascii_case(name))
}

/// Splits a mail into its headers, each with its continuation lines, and its body. Every line ends with CR LF.
fn split(raw: &[u8]) -> (Vec<String>, Vec<u8>) {
    let mut head: Vec<String> = Vec::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (line, behind) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        rest = behind;
        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        match (line.starts_with([' ', '\t']), head.last_mut()) {
            _ if line.trim().is_empty() => break,
            (true, Some(last)) => {
                last.push_str("\r\n");
                last.push_str(&line);
            }
            _ => head.push(line),
        }
    }
    let mut body = Vec::with_capacity(rest.len());
    for (place, byte) in rest.iter().enumerate() {
        let follows_return = place > 0 && rest.get(place - 1) == Some(&b'\r');
        if *byte == b'\n' && !follows_return {
            body.push(b'\r');
        }
        body.push(*byte);
    }
    (head, body)
}

/// Decodes base64 as protocol buffers do in JSON: with either alphabet, and with or without padding.
fn decode(raw: &str) -> Result<Vec<u8>, ApiError> {
    let plain = raw.replace('+', "-").replace('/', "_");
    URL_SAFE_NO_PAD
        .decode(plain.trim_end_matches('='))
        .map_err(|_| {
            let message = "Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed";
            ApiError::unbound("message.raw", message)
        })
}

/// The error for a request without a mail.
pub(super) fn missing() -> ApiError {
    ApiError::invalid(
        "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
    )
}

/// Sixteen hexadecimal digits.
fn fresh_id(state: &mut State) -> String {
    let fresh = hex(state.ids.fresh("message", 12).as_bytes());
    format!("19{}", &fresh[..14])
}
