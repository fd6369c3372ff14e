//! The readable view of a mail: its main headers and its text.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, Whole, WholeKind, shortened, text_of};

use super::quoted::without_history;
use crate::{
    Address, Attachment, MailHeader, ReadableMail, address::parse_addresses, content::plain,
};

/// Most bytes of the text of a single mail.
const TEXT: usize = 5_000;
/// Most bytes of a subject or a name.
const LINE: usize = 300;
/// Most recipients, and most attachments, of a mail.
const LISTED: usize = 20;
/// Placeholder for a text that you can only read with its handle.
const LEFT_OUT: &str = "[left out]";
/// Most bytes of an invitation.
const INVITE: usize = 1_000;

/// A mail, shortened.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct MailView {
    /// Id of the mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Id of its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<String>,
    /// When the product received the mail, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// The sender, such as `Ada <ada@example.com>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// The first 20 recipients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    to: Vec<String>,
    /// The first 20 recipients of copies (Cc).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cc: Vec<String>,
    /// The first 20 recipients of blind copies (Bcc).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bcc: Vec<String>,
    /// Addresses for replies, if they aren't the sender's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reply_to: Vec<String>,
    /// Subject of the mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    /// Its labels by name, such as `INBOX` or `Projects/Engine`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// The text, made from the HTML if it says more. If the content wasn't read, the first words. Marks in brackets replace
    /// the mail that a reply quotes at its end, and text that people can't see.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Present if the mail hides text from people, which you can read with its handle. The hidden text isn't part of the
    /// mail's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_text: Option<&'static str>,
    /// Calendar object of an invitation (iCalendar).
    #[serde(skip_serializing_if = "Option::is_none")]
    calendar_invite: Option<String>,
    /// Other headers that the call asked for by name. Also `From`, if it has several senders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headers: Vec<MailHeader>,
    /// The whole mail as RFC 822, base64url, if the call asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    /// True if there is more text, or there are more recipients or attachments. `mail_get_message_by_id` returns more of
    /// the text, and its view `full` all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The first 20 attached files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<FileView>,
    /// Where the result has the whole of each shortened value. Paths are relative to this mail.
    #[serde(skip)]
    wholes: Vec<Whole>,
}

/// A file attached to a mail, shortened.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct FileView {
    /// Id for `mail_get_attachment_by_id`.
    attachment_id: String,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// MIME type.
    #[serde(rename = "type")]
    kind: String,
    /// Size in bytes.
    size: u64,
    /// Whether it's shown within the text, such as a logo.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inline: bool,
}

/// Headers that have a member.
const MEMBERS: [&str; 6] = ["From", "To", "Cc", "Bcc", "Reply-To", "Subject"];

impl MailView {
    /// The view of a mail in a result, with at most this many bytes of text.
    pub(super) fn of(mut mail: Value, text_bytes: usize) -> Self {
        let raw = text_of(&mail["raw"]);
        let read = serde_json::from_value(mail["readable"].take());
        let is_read = read.is_ok();
        let mail = read.unwrap_or_else(|_| ReadableMail::of(&mail));
        let mut cuts = Cuts::default();
        let mut view = Self {
            id: mail.id.clone(),
            thread_id: mail.thread_id.clone(),
            date: mail.date.clone(),
            from: mail.from.as_ref().map(|from| cuts.address("/from", from)),
            to: cuts.addresses("/to", &mail.to),
            cc: cuts.addresses("/cc", &mail.cc),
            bcc: cuts.addresses("/bcc", &mail.bcc),
            reply_to: cuts.addresses("/reply_to", &mail.reply_to),
            subject: mail
                .subject
                .as_ref()
                .map(|subject| cuts.text("/subject", subject, LINE)),
            labels: mail.labels.clone(),
            text: cuts.words(&mail, text_bytes),
            hidden_text: mail.hidden_text.as_ref().map(|_| LEFT_OUT),
            calendar_invite: mail
                .calendar_invite
                .map(|invite| cuts.text("/calendar_invite", &invite, INVITE.min(text_bytes))),
            headers: mail.headers,
            attachments: cuts.files(mail.attachments),
            raw: raw.clone(),
            truncated: mail.truncated || cuts.is_cut,
            wholes: Vec::new(),
        };
        view.headers.retain(|header| {
            let has_member = MEMBERS
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&header.name));
            !has_member
                || header.name.eq_ignore_ascii_case("From")
                    && parse_addresses(&header.value).len() > 1
        });
        if is_read {
            view.wholes = cuts.wholes;
        } else if raw.is_some() {
            view.wholes = vec![Whole::file(
                "/raw",
                None,
                String::from("message/rfc822"),
                None,
            )];
        }
        view
    }

    /// Where to find the whole of each shortened value, for a mail at this pointer in the view and in the result.
    pub(super) fn wholes_at(&self, mail: &str) -> impl Iterator<Item = Whole> {
        self.wholes.iter().map(move |whole| {
            let mut whole = whole.clone();
            if whole.kind == WholeKind::Text || whole.kind == WholeKind::List {
                whole.part.insert_str(0, mail);
            }
            whole.pointer.insert_str(0, mail);
            whole
        })
    }
}

/// The values that a view shortens in a mail.
#[derive(Default)]
struct Cuts {
    is_cut: bool,
    wholes: Vec<Whole>,
}

impl Cuts {
    /// The beginning of the text in this member.
    fn text(&mut self, member: &str, text: &str, most: usize) -> String {
        let size = text.len();
        let (text, is_cut) = seen(text, most);
        if is_cut {
            self.add(Whole::text(member, format!("/readable{member}"), size));
        }
        text
    }

    /// The text of a mail, or its first words.
    fn words(&mut self, mail: &ReadableMail, most: usize) -> Option<String> {
        let Some(text) = mail.text.as_ref().filter(|text| !text.trim().is_empty()) else {
            self.is_cut |= !mail.snippet.is_empty();
            return Some(plain(&mail.snippet).text).filter(|words| !words.is_empty());
        };
        let is_reply = mail.in_reply_to.is_some() || mail.references.is_some();
        let subject = mail.subject.as_deref().unwrap_or_default().to_lowercase();
        let is_forward = ["fw:", "fwd:", "wg:", "tr:"]
            .iter()
            .any(|mark| subject.starts_with(mark));
        let folded = (is_reply && !is_forward)
            .then(|| without_history(text))
            .flatten();
        let is_folded = folded.is_some();
        let (words, is_cut) = shortened(folded.unwrap_or_else(|| text.clone()), most);
        if is_cut || is_folded {
            self.add(Whole::text("/text", "/readable/text", text.len()));
        }
        if let Some(hidden) = &mail.hidden_text {
            self.add(Whole::text(
                "/hidden_text",
                "/readable/hidden_text",
                hidden.len(),
            ));
        }
        Some(words)
    }

    fn addresses(&mut self, member: &str, addresses: &[Address]) -> Vec<String> {
        self.list(member, addresses.len());
        addresses
            .iter()
            .take(LISTED)
            .map(|address| self.address(member, address))
            .collect()
    }

    fn address(&mut self, member: &str, address: &Address) -> String {
        let shown = match (&address.name, &address.email) {
            (Some(name), Some(email)) => format!("{name} <{email}>"),
            (Some(only), None) | (None, Some(only)) => only.clone(),
            (None, None) => String::new(),
        };
        self.line(member, &shown)
    }

    fn files(&mut self, files: Vec<Attachment>) -> Vec<FileView> {
        const MEMBER: &str = "/attachments";
        self.list(MEMBER, files.len());
        let view = |file: Attachment| FileView {
            attachment_id: file.attachment_id,
            name: file.file_name.map(|name| self.line(MEMBER, &name)),
            kind: file.mime_type,
            size: file.size,
            inline: file.inline,
        };
        files.into_iter().take(LISTED).map(view).collect()
    }

    /// An entry of a list or an object. If it's cut, its whole is that of the list.
    fn line(&mut self, member: &str, text: &str) -> String {
        let (text, is_cut) = seen(text, LINE);
        if is_cut && !self.wholes.iter().any(|whole| whole.part == member) {
            self.add(Whole::list(member, format!("/readable{member}")));
        }
        text
    }

    fn list(&mut self, member: &str, count: usize) {
        if count > LISTED {
            self.add(Whole::list(member, format!("/readable{member}")));
        }
    }

    fn add(&mut self, whole: Whole) {
        self.is_cut = true;
        self.wholes.push(whole);
    }
}

/// The visible beginning of a text, and whether there is more.
fn seen(text: &str, most: usize) -> (String, bool) {
    let read = plain(text);
    let (text, is_cut) = shortened(read.text, most);
    (text, is_cut || !read.hidden.is_empty())
}

/// A single mail.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OneMail {
    /// The mail.
    #[serde(flatten)]
    mail: MailView,
}

impl Readable for OneMail {
    const UNTRUSTED: &'static [&'static str] = &[
        "from",
        "to",
        "cc",
        "reply_to",
        "subject",
        "text",
        "calendar_invite",
        "headers",
        "raw",
        "attachments[].name",
    ];

    fn of(result: Value) -> Self {
        Self {
            mail: MailView::of(result, TEXT),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        self.mail.wholes_at("").collect()
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    use serde_json::json;

    use super::*;
    use crate::message::with_readable;

    fn view(message: Value) -> Value {
        serde_json::to_value(OneMail::of(with_readable(message))).unwrap()
    }

    fn with_text(text: &str) -> Value {
        let people: Vec<String> = (0..5_000).map(|n| format!("P{n} <p{n}@x.org>")).collect();
        let data = URL_SAFE_NO_PAD.encode(text);
        json!({
            "id": "1", "threadId": "2", "labelIds": ["INBOX"], "internalDate": "1777885200123", "snippet": "Hi",
            "payload": {
                "mimeType": "text/plain", "body": { "size": text.len(), "data": data },
                "headers": [
                    { "name": "Subject", "value": "s".repeat(5_000) },
                    { "name": "From", "value": "Ada <ada@x.org>" },
                    { "name": "To", "value": people.join(", ") },
                ],
            },
        })
    }

    #[test]
    fn a_mail_of_a_megabyte_is_at_most_8_kb() {
        for text in ["word ", "日本", "line\n", "\"quoted\" "] {
            let view = view(with_text(&text.repeat(1_000_000 / text.len())));
            let size = view.to_string().len();
            assert!(size <= 8_192, "{text}: {size}");
            assert_eq!(view["truncated"], true);
            assert_eq!(view["to"].as_array().unwrap().len(), 20);
        }
    }

    #[test]
    fn a_truncated_text_names_the_path_of_the_whole() {
        let text = "word ".repeat(2_000);
        let result = with_readable(with_text(&text));
        let wholes = OneMail::of(result.clone()).wholes();
        let whole = Whole::text("/text", "/readable/text", 10_000);
        assert_eq!(wholes.last(), Some(&whole));
        assert_eq!(result.pointer(&whole.pointer).unwrap(), &text);
        let short = OneMail::of(with_readable(with_text("short"))).wholes();
        assert!(short.iter().all(|whole| whole.part != "/text"));
        // The product's message has no readable text.
        assert!(OneMail::of(with_text(&text)).wholes().is_empty());
    }

    #[test]
    fn a_mail_has_only_members_that_people_read() {
        let mut message = with_text("Hello");
        message["payload"]["headers"] = json!([{ "name": "From", "value": "Ada <ada@x.org>" }]);
        assert_eq!(
            view(message),
            json!({
                "id": "1", "thread_id": "2", "date": "2026-05-04T09:00:00.123Z", "from": "Ada <ada@x.org>",
                "labels": ["INBOX"], "text": "Hello",
            })
        );
    }

    #[test]
    fn the_snippet_replaces_content_that_was_not_read() {
        let minimal = json!({ "id": "1", "threadId": "2", "snippet": "Tom &amp; Jerry" });
        let view = serde_json::to_value(OneMail::of(minimal)).unwrap();
        assert_eq!(
            view,
            json!({ "id": "1", "thread_id": "2", "text": "Tom & Jerry", "truncated": true })
        );
    }
}
