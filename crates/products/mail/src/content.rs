//! Collects the text, the HTML and the attachments of a mail (RFC 2046, 5.1).

use std::collections::HashSet;

use crate::{
    attachment::Attachment,
    html::{self, HIDDEN, HtmlText},
    invisible::{is_filler, without_filler},
    part::Part,
};

/// The content of a mail.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// All text. It's converted from HTML if a section has no text, or if its HTML says more.
    pub(crate) text: Option<String>,
    /// Text that isn't visible to people.
    pub(crate) hidden: Option<String>,
    /// All HTML.
    pub(crate) html: Option<String>,
    /// Calendar object of an invitation (iCalendar).
    pub(crate) invite: Option<String>,
    pub(crate) attachments: Vec<Attachment>,
    /// Whether the product returned a part of the text as an attachment because it's too long.
    pub(crate) truncated: bool,
}

impl Content {
    /// Reads the part `root` and all parts below it.
    pub(crate) fn of(root: Part<'_>) -> Self {
        let mut content = Self::default();
        let pieces = content.read(root);
        content.html = join(pieces.iter().filter_map(|piece| piece.html.clone()));
        let read: Vec<HtmlText> = pieces.into_iter().map(Piece::into_text).collect();
        let hidden = read.iter().map(|one| one.hidden.clone());
        content.hidden = join(hidden.filter(|hidden| !hidden.is_empty()));
        content.text = join(read.into_iter().map(|one| one.text));
        content
    }

    fn read(&mut self, part: Part<'_>) -> Vec<Piece> {
        if part.mime_type() == "multipart/alternative" {
            let (other, known): (Vec<_>, Vec<_>) =
                part.parts().partition(|version| version.is_other_version());
            let mut versions: Vec<Piece> = known
                .into_iter()
                .flat_map(|version| self.read(version))
                .collect();
            if versions.is_empty() {
                versions = other
                    .into_iter()
                    .flat_map(|version| self.read(version))
                    .collect();
            }
            return Vec::from_iter(Piece::of_alternatives(versions));
        }
        if part.is_container() {
            return part.parts().flat_map(|inner| self.read(inner)).collect();
        }
        let is_file = part.is_attachment();
        if is_file && part.has_content() {
            self.attachments.push(Attachment::of(part));
        }
        if !part.is_text() {
            return Vec::new();
        }
        let Some(text) = part.text() else {
            if part.attachment_id().is_some() {
                self.truncated = true;
                if !is_file {
                    self.attachments.push(Attachment::of(part));
                }
            }
            return Vec::new();
        };
        match part.mime_type().as_str() {
            "text/html" => vec![Piece {
                text: None,
                html: Some(text),
            }],
            "text/calendar" => {
                if self.invite.is_none() {
                    self.invite = Some(text);
                } else if !is_file {
                    self.attachments.push(Attachment::of(part));
                }
                Vec::new()
            }
            _ => vec![Piece {
                text: Some(text),
                html: None,
            }],
        }
    }
}

/// A section of a mail, as text, as HTML, or both.
#[derive(Debug, Clone)]
struct Piece {
    text: Option<String>,
    html: Option<String>,
}

impl Piece {
    /// Several versions of the same section: the text of those that have text, and the HTML of those that have HTML.
    fn of_alternatives(versions: Vec<Self>) -> Option<Self> {
        let text = join(versions.iter().filter_map(|version| version.text.clone()));
        let html = join(versions.into_iter().filter_map(|version| version.html));
        (text.is_some() || html.is_some()).then_some(Self { text, html })
    }

    /// The text, or the converted HTML if it says much more: some programs send no text, or only a note that there is none.
    /// Words of that note that the HTML lacks are kept.
    fn into_text(self) -> HtmlText {
        let Some(html) = self.html else {
            return plain(&self.text.unwrap_or_default());
        };
        let Some(text) = self.text else {
            return html::to_text(&html);
        };
        let own = letters(&text);
        // Tags and link marks are longer than the text that they add.
        if html.len() <= 2 * own {
            return plain(&text);
        }
        let mut read = html::to_text(&html);
        if letters(&read.text.replace(HIDDEN, "")) <= 2 * own {
            return plain(&text);
        }
        let known: HashSet<&str> = words(&read.text).collect();
        if !words(&text).all(|word| known.contains(word)) {
            let plain = plain(&text);
            read.text = format!("{}\n\n{}", plain.text.trim_end(), read.text);
            read.hidden.push_str(&plain.hidden);
        }
        read
    }
}

/// A plain text without filler. If it has invisible letters, a mark is added.
pub(crate) fn plain(text: &str) -> HtmlText {
    let mut hidden = String::new();
    let mut text = without_filler(text, &mut hidden);
    if !hidden.is_empty() {
        text = format!("{text} {HIDDEN}");
    }
    HtmlText { text, hidden }
}

/// The words of a text, without punctuation.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|one: char| !one.is_alphanumeric() || is_filler(one));
    words.filter(|word| !word.is_empty())
}

/// The number of letters and digits in a text, not counting addresses.
fn letters(text: &str) -> usize {
    let words = text.split_whitespace().filter(|word| !word.contains("://"));
    words
        .flat_map(str::chars)
        .filter(|one| one.is_alphanumeric() && !is_filler(*one))
        .count()
}

/// The texts, separated by line breaks; `None` if there are none.
fn join(pieces: impl Iterator<Item = String>) -> Option<String> {
    let pieces: Vec<String> = pieces.collect();
    (!pieces.is_empty()).then(|| pieces.join("\n"))
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "tests build a tree of parts in place"
)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    use serde_json::{Value, json};

    use super::*;

    /// A leaf with its content.
    fn leaf(id: &str, mime_type: &str, headers: Value, content: impl AsRef<[u8]>) -> Value {
        let content = content.as_ref();
        json!({"partId": id, "mimeType": mime_type, "filename": "", "headers": list(&headers),
            "body": {"size": content.len(), "data": URL_SAFE_NO_PAD.encode(content)}})
    }

    /// A file whose content the product doesn't include.
    fn file(id: &str, mime_type: &str, name: &str, headers: Value) -> Value {
        json!({"partId": id, "mimeType": mime_type, "filename": name, "headers": list(&headers),
            "body": {"attachmentId": "ANGj", "size": 9}})
    }

    fn multi(id: &str, kind: &str, parts: &[Value]) -> Value {
        json!({"partId": id, "mimeType": format!("multipart/{kind}"), "filename": "", "headers": [], "body": {"size": 0}, "parts": parts})
    }

    fn list(headers: &Value) -> Value {
        let headers = headers.as_object().into_iter().flatten();
        headers
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect()
    }

    fn read(payload: &Value) -> Content {
        Content::of(Part::root(&json!({ "payload": payload })))
    }

    fn plain(text: &str) -> Value {
        leaf("0", "text/plain", json!({}), text)
    }

    fn html(text: &str) -> Value {
        leaf("1", "text/html", json!({}), text)
    }

    #[track_caller]
    fn check(payload: Value, text: Option<&str>, html: Option<&str>, files: &[&str]) -> Content {
        let mail = read(&payload);
        assert_eq!(mail.text.as_deref(), text);
        assert_eq!(mail.html.as_deref(), html);
        let ids: Vec<&str> = mail
            .attachments
            .iter()
            .map(|one| one.attachment_id.as_str())
            .collect();
        assert_eq!(ids, files);
        mail
    }

    #[test]
    fn a_mail_of_one_part_has_its_body_in_the_root() {
        check(plain("hello"), Some("hello"), None, &[]);
        check(
            html("<p>hello</p>"),
            Some("hello"),
            Some("<p>hello</p>"),
            &[],
        );
        check(
            file("", "application/pdf", "scan.pdf", json!({})),
            None,
            None,
            &["part:"],
        );
    }

    #[test]
    fn alternatives_are_one_stretch_in_two_forms() {
        check(
            multi("", "alternative", &[plain("hello"), html("<b>hello</b>")]),
            Some("hello"),
            Some("<b>hello</b>"),
            &[],
        );
        check(
            multi("", "alternative", &[html("<b>only</b>")]),
            Some("only"),
            Some("<b>only</b>"),
            &[],
        );
        check(multi("", "alternative", &[]), None, None, &[]);
    }

    #[test]
    fn amp_versions_are_omitted() {
        let amp = leaf("1", "text/x-amp-html", json!({}), "<html amp4email>");
        check(
            multi(
                "",
                "alternative",
                &[plain("hello"), amp.clone(), html("<b>hello</b>")],
            ),
            Some("hello"),
            Some("<b>hello</b>"),
            &[],
        );
        check(
            multi("", "mixed", &[plain("hello"), amp]),
            Some("hello"),
            None,
            &["part:1"],
        );
    }

    #[test]
    fn related_parts_are_a_root_and_its_images() {
        let logo = file(
            "0.1",
            "image/png",
            "logo.png",
            json!({"Content-ID": "<logo@x>", "Content-Disposition": "inline; filename=logo.png"}),
        );
        let related = multi("1", "related", &[html("<img src=cid:logo@x>hi"), logo]);
        let mail = check(
            multi("", "alternative", &[plain("hi"), related]),
            Some("hi"),
            Some("<img src=cid:logo@x>hi"),
            &["part:0.1"],
        );
        assert!(mail.attachments[0].inline);
        assert_eq!(mail.attachments[0].content_id.as_deref(), Some("logo@x"));
    }

    #[test]
    fn several_texts_follow_each_other() {
        let parts = [
            plain("before"),
            file("1", "application/pdf", "a.pdf", json!({})),
            plain("after"),
        ];
        check(
            multi("", "mixed", &parts),
            Some("before\nafter"),
            None,
            &["part:1"],
        );
        let footer = html("<hr><p>the list</p>");
        let body = multi("0", "alternative", &[plain("body"), html("<p>body</p>")]);
        check(
            multi("", "mixed", &[body, footer]),
            Some("body\nthe list"),
            Some("<p>body</p>\n<hr><p>the list</p>"),
            &[],
        );
    }

    #[test]
    fn the_declared_charset_is_used_only_if_the_bytes_are_not_utf8() {
        let declared =
            |charset: &str| json!({"Content-Type": format!("text/plain; charset=\"{charset}\"")});
        for charset in ["iso-2022-jp", "ISO-8859-1", "us-ascii", "x-unknown"] {
            check(
                leaf("", "text/plain", declared(charset), "日本 ü"),
                Some("日本 ü"),
                None,
                &[],
            );
        }
        check(
            leaf(
                "",
                "text/plain",
                declared("iso-2022-jp"),
                b"\x1b$BF|K\\\x1b(B",
            ),
            Some("日本"),
            None,
            &[],
        );
        check(
            leaf(
                "",
                "text/plain",
                declared("koi8-r"),
                b"\xf0\xd2\xc9\xd7\xc5\xd4",
            ),
            Some("Привет"),
            None,
            &[],
        );
        check(
            leaf("", "text/plain", json!({}), b"caf\xe9"),
            Some("café"),
            None,
            &[],
        );
    }

    #[test]
    fn an_invitation_shows_its_calendar_object() {
        let calendar = leaf(
            "2",
            "text/calendar",
            json!({"Content-Type": "text/calendar; method=REQUEST"}),
            "BEGIN:VCALENDAR",
        );
        let body = multi(
            "0",
            "alternative",
            &[plain("come"), html("<p>come</p>"), calendar],
        );
        let mail = check(
            multi(
                "",
                "mixed",
                &[body, file("1", "application/ics", "invite.ics", json!({}))],
            ),
            Some("come"),
            Some("<p>come</p>"),
            &["part:1"],
        );
        assert_eq!(mail.invite.as_deref(), Some("BEGIN:VCALENDAR"));
    }

    #[test]
    fn an_attached_mail_is_a_file_and_keeps_its_text_to_itself() {
        let mut attached = file(
            "1",
            "message/rfc822",
            "forwarded.eml",
            json!({"Subject": "inner"}),
        );
        attached["parts"] = json!([multi(
            "1.0",
            "mixed",
            &[
                plain("inner text"),
                file("1.0.1", "image/png", "x.png", json!({}))
            ]
        )]);
        let mail = check(
            multi("", "mixed", &[plain("see below"), attached]),
            Some("see below"),
            None,
            &["part:1"],
        );
        assert_eq!(mail.attachments[0].mime_type, "message/rfc822");
    }

    #[test]
    fn files_are_distinguished_from_texts() {
        let disposed = leaf(
            "1",
            "text/plain",
            json!({"content-disposition": "ATTACHMENT"}),
            "log",
        );
        let named = json!({"partId": "2", "mimeType": "text/html", "filename": "page.html", "body": {"attachmentId": "A", "size": 3}});
        let unnamed = file(
            "3",
            "application/pgp-signature",
            "",
            json!({"Content-ID": "<sig>"}),
        );
        let mail = check(
            multi("", "mixed", &[plain("text"), disposed, named, unnamed]),
            Some("text"),
            None,
            &["part:1", "part:2", "part:3"],
        );
        assert_eq!(mail.attachments[0].file_name, None);
        assert!(!mail.attachments[0].inline, "its disposition is attachment");
        assert_eq!(mail.attachments[1].file_name.as_deref(), Some("page.html"));
        assert!(mail.attachments[2].inline, "the text refers to it");
    }

    #[test]
    fn a_text_kept_apart_is_among_the_files() {
        let long = json!({"partId": "0", "mimeType": "text/plain", "filename": "", "body": {"attachmentId": "ANGj", "size": 5_000_000}});
        let mail = check(multi("", "mixed", &[long]), None, None, &["part:0"]);
        assert!(mail.truncated);
        assert!(!read(&plain("short")).truncated);
    }

    #[test]
    fn the_headers_only_format_has_no_content() {
        let root = json!({"partId": "", "mimeType": "multipart/mixed", "headers": [{"name": "Subject", "value": "s"}]});
        check(root, None, None, &[]);
        check(
            json!({"mimeType": "application/pdf", "filename": ""}),
            None,
            None,
            &[],
        );
    }
}
