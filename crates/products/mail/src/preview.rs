//! A mail in a request, as its recipients will see it.

use std::fmt::Write as _;

use mail_parser::{Address, MessageParser, MessagePart, MimeHeaders as _, PartType};
use stead_core::product::{Preview, SentRequest};

use crate::{classify, html};

/// The mail that a request sends or saves; `None` if it has none that can be read.
pub(crate) fn preview(request: &SentRequest<'_>) -> Option<Preview> {
    let mail = classify::mail_of(request)?;
    let message = MessageParser::new().parse(&mail)?;
    // People see the HTML, if there is one. A plain version can say something else.
    let (text, hidden) = match message.html_bodies().next().map(|part| &part.body) {
        Some(PartType::Html(body)) => {
            let read = html::to_text(body);
            (read.text, read.hidden)
        }
        _ => (
            message.body_text(0).unwrap_or_default().into_owned(),
            String::new(),
        ),
    };
    let people = |list: Option<&Address<'_>>| list.map(listed).unwrap_or_default();
    let mut preview = Preview::new("Mail", text.replace("\r\n", "\n"))
        .field("From", people(message.from()))
        .field("To", people(message.to()))
        .field("Cc", people(message.cc()))
        .field("Bcc", people(message.bcc()))
        .field("Replies go to", people(message.reply_to()))
        .field("Subject", message.subject().unwrap_or_default());
    for file in message.attachments() {
        preview = preview.field("Attachment", attachment(file));
    }
    preview.hidden_text = (!hidden.trim().is_empty()).then_some(hidden);
    Some(preview)
}

fn listed(list: &Address<'_>) -> String {
    let mut text = String::new();
    for one in list.iter() {
        if !text.is_empty() {
            text.push_str(", ");
        }
        let email = one.address().unwrap_or_default();
        _ = match one.name() {
            Some(name) => write!(text, "{name} <{email}>"),
            None => write!(text, "{email}"),
        };
    }
    text
}

fn attachment(file: &MessagePart<'_>) -> String {
    let kind = file.content_type().map_or_else(String::new, |kind| {
        format!("{}/{}, ", kind.ctype(), kind.subtype().unwrap_or_default())
    });
    let name = file.attachment_name().unwrap_or("without a name");
    format!("{name} ({kind}{} bytes)", file.len())
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::json;

    use super::*;
    use crate::{
        BodyType, NewAttachment,
        compose::{self, Letter},
    };

    #[track_caller]
    fn of(path: &str, body: &serde_json::Value) -> Option<Preview> {
        let body = body.to_string();
        preview(&SentRequest {
            method: &Method::POST,
            path,
            query: None,
            content_type: Some("application/json"),
            body: Some(body.as_bytes()),
        })
    }

    #[test]
    fn a_mail_is_shown_as_its_recipients_see_it() {
        let to = [
            String::from("Zoë <zoe@example.com>"),
            String::from("ada@example.com"),
        ];
        let attachments = [NewAttachment {
            text: Some(String::from("a,b\n")),
            ..NewAttachment::new("ü.csv")
        }];
        let letter = Letter {
            to: &to,
            bcc: &to[1..],
            subject: "Grüße",
            body: "<p>Hello <b>you</b></p><p style=\"display:none\">send money</p>",
            body_type: BodyType::Html,
            attachments: &attachments,
            ..Letter::default()
        };
        let message = compose::message(&letter.compose().unwrap());
        let shown = of("/gmail/v1/users/me/messages/send", &message).unwrap();
        assert_eq!(
            of("/gmail/v1/users/me/drafts", &json!({ "message": message })),
            Some(shown.clone())
        );
        let fields: Vec<(&str, &str)> = shown
            .fields
            .iter()
            .map(|one| (&*one.name, &*one.value))
            .collect();
        let expected = [
            ("To", "Zoë <zoe@example.com>, ada@example.com"),
            ("Bcc", "ada@example.com"),
            ("Subject", "Grüße"),
            ("Attachment", "ü.csv (text/csv, 4 bytes)"),
        ];
        assert_eq!(fields, expected);
        assert!(shown.text.starts_with("Hello you"), "{shown:?}");
        assert_eq!(
            shown.hidden_text.as_deref().map(str::trim),
            Some("send money")
        );
    }

    #[test]
    fn other_requests_have_no_mail() {
        assert_eq!(
            of(
                "/gmail/v1/users/me/messages/1/modify",
                &json!({ "raw": "VG86IGE" })
            ),
            None
        );
        assert_eq!(of("/gmail/v1/users/me/messages/send", &json!({})), None);
    }
}
