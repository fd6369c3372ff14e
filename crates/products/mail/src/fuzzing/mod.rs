//! Properties that hold for any mail, read or written. `tests/fuzz` and a unit test call these functions, which panic if a property doesn't
//! hold.

mod compose;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD},
};
use serde_json::{Value, json};
use stead_google::decode_base64;

use crate::{
    ReadableMail,
    address::parse_addresses,
    content,
    html::{HtmlText, to_text},
    part::Part,
};

pub use compose::compose;
#[cfg(test)]
pub(crate) use compose::{as_gmail_gives, reads_back};

/// Reads the input in two ways: as JSON, for the product's own message, and as lines of subject, name, character set and
/// text. The lines become a message that is read again.
pub fn mime(input: &[u8]) {
    for encode in [
        STANDARD.encode(input),
        STANDARD_NO_PAD.encode(input),
        URL_SAFE.encode(input),
        URL_SAFE_NO_PAD.encode(input),
    ] {
        assert_eq!(decode_base64(&encode).as_deref(), Some(input));
    }
    match serde_json::from_slice(input) {
        Ok(message) => any_message(&message),
        Err(_) => built_message(&String::from_utf8_lossy(input)),
    }
}

fn any_message(message: &Value) {
    let mail = ReadableMail::of(message);
    let parts = Part::root(message).tree();
    assert!(mail.attachments.len() <= parts.len());
    for attachment in &mail.attachments {
        let name = attachment.file_name.as_deref().unwrap_or("a");
        let is_bad = |letter: char| letter.is_control() || matches!(letter, '/' | '\\');
        assert!(
            !name.contains(is_bad) && !matches!(name.trim(), "" | "." | ".."),
            "{name:?}"
        );
        // The attachment tool finds it by that id.
        let id = Part::id_of_stable(&attachment.attachment_id);
        assert!(parts.iter().any(|part| Some(part.id()) == id));
    }
    let people = mail
        .from
        .iter()
        .chain(&mail.to)
        .chain(&mail.cc)
        .chain(&mail.bcc)
        .chain(&mail.reply_to);
    for person in people {
        assert!(person.name.is_some() || person.email.is_some());
        for text in person.name.iter().chain(&person.email) {
            assert!(!text.contains(['\r', '\n']), "{text:?}");
        }
    }
    // The readable form can be serialized and deserialized.
    let written = serde_json::to_value(&mail).expect("JSON");
    assert_eq!(
        serde_json::from_value::<ReadableMail>(written).ok(),
        Some(mail)
    );
}

fn built_message(text: &str) {
    let mut lines = text.splitn(4, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let (subject, name, charset, body) = (next(), next(), next(), next());
    let plain = |text: &str| {
        text.chars()
            .filter(|letter| !letter.is_control())
            .collect::<String>()
    };
    let (subject, name, charset) = (plain(subject), plain(name), plain(charset));
    let words = |text: &str| format!("=?utf-8?B?{}?=", STANDARD.encode(text));
    let type_of = |kind: &str| json!([{"name": "Content-Type", "value": format!("{kind}; charset=\"{charset}\"")}]);
    let leaf = |kind: &str, id: &str| json!({"mimeType": kind, "partId": id, "filename": "", "headers": type_of(kind), "body": {"data": URL_SAFE.encode(body)}});
    let message = json!({"payload": {
        "mimeType": "multipart/alternative",
        "headers": [
            {"name": "Subject", "value": words(&subject)},
            {"name": "To", "value": format!("{} <jane@example.org>, b@example.org", words(&name))},
        ],
        "parts": [leaf("text/plain", "0"), leaf("text/html", "1")],
    }});
    let mail = ReadableMail::of(&message);
    if !subject.trim().is_empty() {
        assert_eq!(mail.subject.as_deref().map(str::trim), Some(subject.trim()));
    }
    recipients(&mail, name.trim());
    let lower = charset.to_ascii_lowercase();
    // ISO-2022-JP and UTF-16 can also be valid UTF-8.
    if !lower.contains("2022") && !body.contains('\0') {
        let body = body.strip_prefix('\u{feff}').unwrap_or(body);
        let read = format!(
            "{} {}",
            mail.text.as_deref().unwrap_or_default(),
            mail.hidden_text.as_deref().unwrap_or_default()
        );
        for word in content::words(body) {
            assert!(read.contains(word), "{word:?} is not in {read:?}");
        }
        assert_eq!(mail.html.as_deref(), Some(body));
    }
    html(body);
}

fn recipients(mail: &ReadableMail, name: &str) {
    assert_eq!(mail.to.len(), 2, "{:?}", mail.to);
    let emails: Vec<_> = mail.to.iter().map(|one| one.email.as_deref()).collect();
    assert_eq!(emails, [Some("jane@example.org"), Some("b@example.org")]);
    assert_eq!(
        mail.to[0]
            .name
            .as_deref()
            .map(str::trim)
            .unwrap_or_default(),
        name
    );
    // The same name in quotes reads the same.
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    let read = parse_addresses(&format!("\"{quoted}\" <jane@example.org>"));
    assert_eq!(read.len(), 1, "{read:?}");
    assert_eq!(read[0].email.as_deref(), Some("jane@example.org"));
}

/// Text from HTML is at most proportional to the HTML, plus the marks of quotations.
fn html(html: &str) {
    let HtmlText { text, hidden } = to_text(html);
    let length = text.len() + hidden.len();
    assert!(length <= 40 * html.len() + 64, "{length} of {}", html.len());
    assert_eq!(text.trim(), text);
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_mail_is_read(
            lines in "\\PC{0,12}\n[\\PC\"\\\\]{0,12}\n(utf-8|iso-8859-1|x|iso-2022-jp)\n\\PC{0,20}",
            tags in prop::collection::vec("<(/?(p|blockquote|a href=x|li|ol|pre|style|td)|br)>|[a-z &\n]{0,4}", 0..12),
            any in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            mime(lines.as_bytes());
            mime(format!("s\nn\nutf-8\n{}", tags.concat()).as_bytes());
            mime(&any);
        }

        #[test]
        fn any_letter_is_composed(
            form in "[th]",
            people in prop::collection::vec("|ada@example.com|Ada <ada@example.com>|\"Doe, \\PC{0,8}\" <a@b.example>, c@b.example|\\PC{0,12}", 5),
            texts in ("[\\PC\r\n]{0,60}", "|1", "(\\PC{0,90}[\r\n]{0,2}){0,4}"),
            files in prop::collection::vec(("\\PC{0,12}|a\\.(csv|pdf|eml)", "|text/csv|a/b", "|\\PC{1,20}|a\r\nb", "|YQ=="), 0..3),
        ) {
            let (subject, id, body) = texts;
            let files = files.into_iter().flat_map(|(name, kind, text, bytes)| [name, kind, text, bytes]);
            let members = std::iter::once(form).chain(people).chain([subject, id, body]).chain(files);
            compose(members.collect::<Vec<_>>().join("\u{1f}").as_bytes());
        }

        #[test]
        fn any_message_is_read(
            name in "Subject|From|To|Content-Type|Content-Disposition|Content-ID|X",
            value in "[\\PC\r\n<>@\",:;=?]{0,24}", kind in "text/(plain|html)|multipart/mixed|image/png", file in "[\\PC/\\\\.]{0,6}",
        ) {
            let headers = json!([{ "name": name, "value": value }]);
            let part = json!({ "partId": "0", "mimeType": kind, "filename": file, "headers": headers, "body": { "data": "YQ" } });
            let message = json!({ "payload": { "mimeType": "multipart/mixed", "headers": headers, "parts": [part, part] } });
            mime(message.to_string().as_bytes());
        }
    }
}
