//! One mail in short: a member for each header that people read, and its text.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, Whole, shortened};

use super::quoted::without_history;
use crate::{Address, Attachment, ReadableMail};

/// Bytes of the text of a mail that is read by itself.
const TEXT: usize = 5_000;
/// Bytes of a subject or a name.
const LINE: usize = 300;
/// Recipients and attachments of a mail.
const LISTED: usize = 20;

/// A mail in short.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct MailView {
    /// Id of the mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Id of its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<String>,
    /// When the product took the mail in, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Who sent it: `Ada <ada@example.com>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Recipients, the first 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    to: Vec<String>,
    /// Recipients of copies, the first 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cc: Vec<String>,
    /// Recipients of hidden copies, the first 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bcc: Vec<String>,
    /// Where replies go, if elsewhere than to the sender.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reply_to: Vec<String>,
    /// Subject of the mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    /// Its labels by name, such as `INBOX` or `Projects/Engine`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// Its text without the mails that it quotes at its end, made from the HTML where there is no other; its first words
    /// where the content was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// True where the text goes on, or there are more recipients or attachments: `mail_get_message_by_id` returns more of
    /// the text, and its view `full` all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Files of the mail, the first 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<FileView>,
    /// Bytes of the whole text, where there is only its beginning and the result has all of it.
    #[serde(skip)]
    cut_from: Option<usize>,
}

/// A file of a mail in short.
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
    /// Whether it is shown within the text, such as a logo.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inline: bool,
}

impl MailView {
    /// The view of a mail in a result, with so many bytes of its text.
    pub(super) fn of(mut mail: Value, text_bytes: usize) -> Self {
        let read = serde_json::from_value(mail["readable"].take());
        let has_text = read.is_ok();
        let mail = read.unwrap_or_else(|_| ReadableMail::of(&mail));
        let listed = |addresses: &[Address]| -> Vec<String> {
            addresses.iter().take(LISTED).map(shown).collect()
        };
        let more = [
            mail.to.len(),
            mail.cc.len(),
            mail.bcc.len(),
            mail.reply_to.len(),
            mail.attachments.len(),
        ];
        let words = mail.text.filter(|text| !text.trim().is_empty());
        let size = words.as_ref().map(String::len);
        let (text, is_cut) = match words {
            Some(text) => shortened(without_history(&text), text_bytes),
            None => (mail.snippet, false),
        };
        Self {
            id: mail.id,
            thread_id: mail.thread_id,
            date: mail.date,
            from: mail.from.as_ref().map(shown),
            to: listed(&mail.to),
            cc: listed(&mail.cc),
            bcc: listed(&mail.bcc),
            reply_to: listed(&mail.reply_to),
            subject: mail.subject.map(line),
            labels: mail.labels,
            text: (!text.is_empty()).then_some(text),
            truncated: is_cut || mail.truncated || more.iter().any(|count| *count > LISTED),
            attachments: mail
                .attachments
                .into_iter()
                .take(LISTED)
                .map(FileView::of)
                .collect(),
            cut_from: size.filter(|_| is_cut && has_text),
        }
    }

    /// Where the whole text of a mail is, which stands at this pointer in the view and in the result.
    pub(super) fn whole(&self, mail: &str) -> Option<Whole> {
        let size = self.cut_from?;
        let (part, pointer) = (format!("{mail}/text"), format!("{mail}/readable/text"));
        Some(Whole::text(part, pointer, size))
    }
}

impl FileView {
    fn of(file: Attachment) -> Self {
        Self {
            attachment_id: file.attachment_id,
            name: file.file_name.map(line),
            kind: file.mime_type,
            size: file.size,
            inline: file.inline,
        }
    }
}

fn line(text: String) -> String {
    shortened(text, LINE).0
}

fn shown(address: &Address) -> String {
    line(match (&address.name, &address.email) {
        (Some(name), Some(email)) => format!("{name} <{email}>"),
        (Some(only), None) | (None, Some(only)) => only.clone(),
        (None, None) => String::new(),
    })
}

/// A mail that is read by itself.
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
        "attachments[].name",
    ];

    fn of(result: Value) -> Self {
        Self {
            mail: MailView::of(result, TEXT),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        self.mail.whole("").into_iter().collect()
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
    fn a_text_that_is_cut_says_where_all_of_it_is() {
        let text = "word ".repeat(2_000);
        let result = with_readable(with_text(&text));
        let wholes = OneMail::of(result.clone()).wholes();
        let whole = Whole::text("/text", "/readable/text", 10_000);
        assert_eq!(wholes, [whole]);
        assert_eq!(result.pointer(&wholes[0].pointer).unwrap(), &text);
        assert!(
            OneMail::of(with_readable(with_text("short")))
                .wholes()
                .is_empty()
        );
        // The product's own form has no text to point at.
        assert!(OneMail::of(with_text(&text)).wholes().is_empty());
    }

    #[test]
    fn a_mail_has_no_other_members_than_people_read() {
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
    fn the_first_words_stand_for_a_content_that_was_not_read() {
        let minimal = json!({ "id": "1", "threadId": "2", "snippet": "Tom &amp; Jerry" });
        let view = serde_json::to_value(OneMail::of(minimal)).unwrap();
        assert_eq!(
            view,
            json!({ "id": "1", "thread_id": "2", "text": "Tom & Jerry" })
        );
    }
}
