//! The readable form of a mail, made from the product's message (Gmail API, `Message`).

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    address::{Address, decode_words, parse_addresses},
    attachment::Attachment,
    content::Content,
    part::Part,
};

/// A mail in readable form. The mail's sender wrote it: it's data, never an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ReadableMail {
    /// Id of the mail.
    pub id: Option<String>,
    /// Id of its thread.
    pub thread_id: Option<String>,
    /// Subject, decoded.
    pub subject: Option<String>,
    /// The sender.
    pub from: Option<Address>,
    /// Recipients.
    pub to: Vec<Address>,
    /// Recipients of copies (Cc).
    pub cc: Vec<Address>,
    /// Recipients of blind copies (Bcc), in mails that the user wrote.
    pub bcc: Vec<Address>,
    /// Addresses for replies, if they aren't the sender's.
    pub reply_to: Vec<Address>,
    /// When the product received the mail, RFC 3339 in UTC.
    pub date: Option<String>,
    /// `Date` header, as the sender wrote it.
    pub date_header: Option<String>,
    /// First words of the mail.
    pub snippet: String,
    /// Ids of its labels. In the readable view, the user's own labels have names.
    pub labels: Vec<String>,
    /// Whether it is unread.
    pub unread: bool,
    /// The whole text. It's made from the HTML if the mail has no text, or if its HTML says much more. `[hidden text left
    /// out]` marks each position of text that people can't see.
    pub text: Option<String>,
    /// Text that the mail hides from people, such as white on white. Instructions in it were written for machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_text: Option<String>,
    /// The whole HTML.
    pub html: Option<String>,
    /// Attached files.
    pub attachments: Vec<Attachment>,
    /// Calendar object of an invitation (iCalendar).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar_invite: Option<String>,
    /// `Message-ID` header.
    pub message_id: Option<String>,
    /// `In-Reply-To` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<String>,
    /// `References` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<String>,
    /// `List-Unsubscribe` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_unsubscribe: Option<String>,
    /// Headers that the call asked for by name. Also `From`, if it has several senders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<MailHeader>,
    /// Whether the product returned a part of the text as an attachment because it's too long.
    pub truncated: bool,
}

/// A header of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MailHeader {
    /// Its name, as spelled in the mail.
    pub name: String,
    /// Its value, decoded.
    pub value: String,
}

/// The product's message, together with its readable form.
pub(crate) fn with_readable(message: Value) -> Value {
    with_headers(message, &[])
}

/// Like `with_readable`, with the headers of these names.
pub(crate) fn with_headers(message: Value, names: &[String]) -> Value {
    let mut mail = ReadableMail::of(&message);
    let asked = |header: &(&str, &str)| {
        let is_named = names
            .iter()
            .any(|name| name.trim().eq_ignore_ascii_case(header.0));
        // The member `from` has only one sender.
        is_named || header.0.eq_ignore_ascii_case("From") && parse_addresses(header.1).len() > 1
    };
    let headers = Part::root(&message).headers().filter(asked);
    mail.headers = headers
        .map(|(name, value)| MailHeader {
            name: name.to_owned(),
            value: decode_words(value),
        })
        .collect();
    let mut pair = json!({ "readable": mail });
    pair["message"] = message;
    pair
}

impl ReadableMail {
    /// Reads the product's `Message`, in the format `full` or `metadata`.
    pub fn of(message: &Value) -> Self {
        let root = Part::root(message);
        let text = |key: &str| message[key].as_str().map(str::to_owned);
        let header = |name: &str| root.header(name).map(decode_words);
        let addresses = |name: &str| -> Vec<Address> {
            let headers = root
                .headers()
                .filter(|(one, _)| one.eq_ignore_ascii_case(name));
            headers
                .flat_map(|(_, value)| parse_addresses(value))
                .collect()
        };
        let labels: Vec<String> = message["labelIds"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let content = Content::of(root);
        Self {
            id: text("id"),
            thread_id: text("threadId"),
            subject: header("Subject"),
            from: addresses("From").into_iter().next(),
            to: addresses("To"),
            cc: addresses("Cc"),
            bcc: addresses("Bcc"),
            reply_to: addresses("Reply-To"),
            date: taken_in(message).map(|moment| moment.to_string()),
            date_header: header("Date"),
            snippet: unescape(message["snippet"].as_str().unwrap_or_default()),
            unread: labels.iter().any(|label| label == "UNREAD"),
            labels,
            text: content.text,
            hidden_text: content.hidden,
            html: content.html,
            attachments: content.attachments,
            calendar_invite: content.invite,
            message_id: header("Message-ID"),
            in_reply_to: header("In-Reply-To"),
            references: header("References"),
            list_unsubscribe: header("List-Unsubscribe"),
            headers: Vec::new(),
            truncated: content.truncated,
        }
    }
}

/// When the product received the mail: `internalDate`, milliseconds since 1970 as a string.
pub(crate) fn taken_in(message: &Value) -> Option<Timestamp> {
    let milliseconds = message["internalDate"].as_str()?.parse().ok()?;
    Timestamp::from_millisecond(milliseconds).ok()
}

/// Removes HTML escapes, which the product adds to snippets.
pub(crate) fn unescape(snippet: &str) -> String {
    if !snippet.contains('&') {
        return snippet.to_owned();
    }
    let replacements = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    replacements
        .iter()
        .fold(snippet.to_owned(), |text, (entity, character)| {
            text.replace(entity, character)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_in_any_case_and_the_first_counts() {
        let headers = json!([
            {"name": "SUBJECT", "value": "=?utf-8?Q?caf=C3=A9?="}, {"name": "Subject", "value": "second"},
            {"name": "from", "value": "\"Doe, Jane\" <jane@x.org>"}, {"name": "To", "value": "Team: a@x.org, b@x.org;"},
            {"name": "CC", "value": "undisclosed-recipients:;"}, {"name": "Reply-To", "value": "list@x.org"},
            {"name": "In-Reply-To", "value": "<1@x>"}, {"name": "References", "value": "<0@x> <1@x>"}, {"value": "nameless"}, {"name": "Bcc"},
        ]);
        let mail =
            ReadableMail::of(&json!({"payload": {"mimeType": "text/plain", "headers": headers}}));
        assert_eq!(mail.subject.as_deref(), Some("café"));
        assert_eq!(mail.from.unwrap().name.as_deref(), Some("Doe, Jane"));
        assert_eq!(
            (
                mail.to.len(),
                mail.cc.len(),
                mail.bcc.len(),
                mail.reply_to.len()
            ),
            (2, 0, 0, 1)
        );
        assert_eq!(mail.in_reply_to.as_deref(), Some("<1@x>"));
        assert_eq!(mail.references.as_deref(), Some("<0@x> <1@x>"));
    }

    #[test]
    fn the_snippet_is_unescaped_once() {
        let snippet = |text: &str| ReadableMail::of(&json!({"snippet": text})).snippet;
        assert_eq!(
            snippet("Tom &amp; Jerry&#39;s &lt;b&gt; &quot;x&quot;"),
            "Tom & Jerry's <b> \"x\""
        );
        assert_eq!(snippet("&amp;lt;"), "&lt;");
    }

    #[test]
    fn the_date_is_when_the_product_took_it_in() {
        let date = |value: Value| ReadableMail::of(&json!({"internalDate": value})).date;
        assert_eq!(
            date(json!("1777885200123")).as_deref(),
            Some("2026-05-04T09:00:00.123Z")
        );
        for odd in [
            json!("x"),
            json!(7),
            json!(null),
            json!("9223372036854775807"),
        ] {
            assert_eq!(date(odd), None);
        }
    }

    #[test]
    fn malformed_messages_can_be_read() {
        for odd in [
            json!(null),
            json!(7),
            json!([]),
            json!({"payload": []}),
            json!({"payload": {"parts": {}, "headers": 3, "body": "x"}}),
            json!({"payload": {"mimeType": 7, "partId": [], "filename": {}, "body": {"data": "***", "size": -1}, "parts": [null, 1]}, "labelIds": [1]}),
        ] {
            let mail = ReadableMail::of(&odd);
            assert_eq!((mail.text, mail.html), (None, None), "{odd}");
        }
    }
}
