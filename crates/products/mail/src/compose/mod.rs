//! Composes a mail: headers, text, attachments, and the thread that a reply belongs to (RFC 5322, RFC 2045 to 2047).
//!
//! The same input gives the same bytes, so an approval shows the bytes that Stead sends. The mail has no `Date` and no
//! `Message-ID`, because Gmail adds them when it sends.

mod attachment;
mod mailbox;
mod subject;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, iter};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use mail_builder::{
    headers::{HeaderType, address::Address, content_type::ContentType, raw::Raw},
    mime::{BodyPart, MimePart},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{Result, error::Violations};

use crate::html;
pub use attachment::NewAttachment;
use mailbox::Mailbox;
pub(crate) use mailbox::{address_text, single};

/// Most bytes of a mail that Gmail takes in a JSON body. More needs an upload (Gmail API guide, "Uploading attachments").
const MOST_BYTES: usize = 5_000_000;

/// Whether `body` is text or HTML.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(extend("x-obvious" = true))]
pub enum BodyType {
    /// Plain text.
    #[default]
    Text,
    /// HTML. Stead adds the same as plain text, for programs that don't show HTML.
    Html,
}

/// A mail to compose.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Letter<'a> {
    pub(crate) from: Option<&'a str>,
    pub(crate) to: &'a [String],
    pub(crate) cc: &'a [String],
    pub(crate) bcc: &'a [String],
    pub(crate) reply_to: Option<&'a str>,
    pub(crate) subject: &'a str,
    pub(crate) body: &'a str,
    pub(crate) body_type: BodyType,
    pub(crate) attachments: &'a [NewAttachment],
    /// The mail that it replies to.
    pub(crate) answers: Option<&'a Answered>,
}

/// The headers of a mail that a reply names, so that the programs of all recipients put both into one thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answered {
    /// `Message-ID` of the mail.
    pub(crate) message_id: String,
    /// `Message-ID`s of the mails before it, oldest first.
    pub(crate) references: Vec<String>,
}

impl Letter<'_> {
    /// The mail as RFC 822.
    pub(crate) fn compose(&self) -> Result<Vec<u8>> {
        let mut violations = Violations::default();
        let headers = self.headers(&mut violations);
        let attachments = attachment::read(self.attachments, &mut violations);
        if self.body.contains('\0') {
            let message = "a mail can't contain the character NUL; remove it";
            violations.add("/body", "pattern", message);
        }
        violations.finish()?;

        let boundary = self.boundary();
        let mut part = self.text(&boundary);
        if !attachments.is_empty() {
            let parts = iter::once(part).chain(attachments).collect();
            part = multipart("multipart/mixed", format!("{boundary}-m"), parts);
        }
        part.headers.splice(0..0, headers);
        let mut mail = Vec::new();
        part.write_part(&mut mail);
        if mail.len() > MOST_BYTES {
            let message = format!(
                "the mail has {} bytes with its attachments, and Gmail takes {MOST_BYTES} this way; share larger files \
                 with a link",
                mail.len()
            );
            let mut violations = Violations::default();
            violations.add("/attachments", "maxLength", message);
            violations.finish()?;
        }
        Ok(mail)
    }

    fn headers(
        &self,
        violations: &mut Violations,
    ) -> Vec<(Cow<'static, str>, HeaderType<'static>)> {
        let from: Vec<Mailbox> = mailbox::one("/from", self.from, violations);
        let reply_to: Vec<Mailbox> = mailbox::one("/reply_to", self.reply_to, violations);
        let to = mailbox::list("/to", self.to, violations);
        let cc = mailbox::list("/cc", self.cc, violations);
        let bcc = mailbox::list("/bcc", self.bcc, violations);
        let lists = [
            ("From", from),
            ("To", to),
            ("Cc", cc),
            ("Bcc", bcc),
            ("Reply-To", reply_to),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let mut headers: Vec<(Cow<'static, str>, HeaderType<'static>)> = lists
            .map(|(name, list)| {
                (
                    name.into(),
                    Address::List(list.into_iter().map(Into::into).collect()).into(),
                )
            })
            .collect();
        headers.extend(
            subject::header(self.subject, violations).map(|value| ("Subject".into(), value)),
        );
        if let Some(answered) = self.answers {
            let references = answered.references.iter().chain([&answered.message_id]);
            let references: Vec<&str> = references.map(String::as_str).collect();
            headers.push((
                "In-Reply-To".into(),
                Raw::new(answered.message_id.clone()).into(),
            ));
            headers.push(("References".into(), Raw::new(references.join(" ")).into()));
        }
        headers.push(("MIME-Version".into(), Raw::new("1.0").into()));
        headers
    }

    fn boundary(&self) -> String {
        let attachments = self.attachments.iter().flat_map(|one| {
            let parts = [
                Some(&one.name),
                one.text.as_ref(),
                one.content_base64.as_ref(),
            ];
            parts.map(|part| part.map_or("", String::as_str))
        });
        let parts = iter::once(self.body).chain(attachments);
        stead_google::boundary(parts.map(str::as_bytes))
    }

    /// The text, and for HTML the same as plain text before it.
    fn text(&self, boundary: &str) -> MimePart<'_> {
        match self.body_type {
            BodyType::Text => MimePart::new("text/plain", self.body),
            BodyType::Html => {
                let plain = html::to_visible_text(self.body);
                let parts = vec![
                    MimePart::new("text/plain", plain),
                    MimePart::new("text/html", self.body),
                ];
                multipart("multipart/alternative", format!("{boundary}-a"), parts)
            }
        }
    }
}

fn multipart<'x>(
    media_type: &'static str,
    boundary: String,
    parts: Vec<MimePart<'x>>,
) -> MimePart<'x> {
    let media_type = ContentType::new(media_type).attribute("boundary", boundary);
    MimePart::new(media_type, BodyPart::Multipart(parts))
}

/// The mail as Gmail takes it in a body (Gmail API, `Message.raw`).
pub(crate) fn message(mail: &[u8]) -> Value {
    json!({ "raw": URL_SAFE_NO_PAD.encode(mail) })
}
