//! Composed mails, read back by Stead's own reader and by a MIME parser.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use mail_parser::{MessageParser, MimeHeaders as _};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::json;

use super::*;
use crate::{
    Address, ReadableMail, answer,
    classify::recipients_of,
    fuzzing::{as_gmail_gives, reads_back},
};

/// Printable text of many scripts, without spaces at its ends.
fn words(most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 .,'()!&/+*_-]{1,30}",
        "[a-zA-Z0-9äöüßéñçøłğ ]{1,20}",
        "[\u{4e00}-\u{4e60}\u{3041}-\u{3090}]{1,20}",
        "[\u{1f600}-\u{1f640}\u{5d0}-\u{5ea} ]{1,10}",
        Just(String::from("=?utf-8?Q?x?=")),
        Just(String::from("\"quoted\\ \" ")),
    ];
    vec(piece, 0..=most).prop_map(|pieces| {
        let text = pieces.concat();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

fn email() -> impl Strategy<Value = String> {
    "[a-z0-9]{1,10}([._+-][a-z0-9]{1,8}){0,2}@[a-z0-9]{1,12}(-[a-z]{1,5})?\\.(com|example|co\\.uk)"
}

fn mailbox() -> impl Strategy<Value = (String, String)> {
    (
        words(2).prop_filter("plain names", |name| !name.contains("=?")),
        email(),
    )
}

fn as_text((name, email): &(String, String)) -> String {
    match name.is_empty() {
        true => email.clone(),
        false => format!(
            "\"{}\" <{email}>",
            name.replace('\\', "\\\\").replace('"', "\\\"")
        ),
    }
}

fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        words(4),
        Just(String::new()),
        "[ -~]{0,200}",
        Just(String::from("."))
    ];
    let line = prop_oneof![
        line,
        Just(String::from("From here on")),
        Just(String::from("trailing space "))
    ];
    vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

#[derive(Debug, Clone)]
struct Given {
    to: Vec<(String, String)>,
    cc: Vec<(String, String)>,
    bcc: Vec<(String, String)>,
    reply_to: Option<(String, String)>,
    subject: String,
    body: String,
    is_html: bool,
    attachments: Vec<(String, &'static str, Vec<u8>)>,
}

fn given() -> impl Strategy<Value = Given> {
    let media_type = select(vec![
        "application/pdf",
        "text/csv",
        "image/png",
        "text/calendar",
        "application/octet-stream",
    ]);
    let name = words(2).prop_filter("a name", |name| {
        // Lenient readers decode encoded words in file names, too.
        !name.is_empty() && !name.contains(['/', '\\']) && !name.contains("=?")
    });
    let attachment = (name, media_type, vec(any::<u8>(), 0..200));
    let people = (
        vec(mailbox(), 1..4),
        vec(mailbox(), 0..3),
        vec(mailbox(), 0..3),
        option::of(mailbox()),
    );
    let content = (words(6), lines(), any::<bool>(), vec(attachment, 0..3));
    (people, content).prop_map(
        |((to, cc, bcc, reply_to), (subject, body, is_html, attachments))| Given {
            to,
            cc,
            bcc,
            reply_to,
            subject,
            body,
            is_html,
            attachments,
        },
    )
}

fn composed(given: &Given, answers: Option<&Answered>) -> Vec<u8> {
    let texts = |list: &[(String, String)]| -> Vec<String> { list.iter().map(as_text).collect() };
    let attachments = given
        .attachments
        .iter()
        .map(|(name, media_type, bytes)| NewAttachment {
            media_type: Some((*media_type).to_owned()),
            content_base64: Some(STANDARD.encode(bytes)),
            ..NewAttachment::new(name)
        });
    let attachments: Vec<NewAttachment> = attachments.collect();
    let (to, cc, bcc) = (texts(&given.to), texts(&given.cc), texts(&given.bcc));
    let reply_to = given.reply_to.as_ref().map(as_text);
    let letter = Letter {
        from: None,
        to: &to,
        cc: &cc,
        bcc: &bcc,
        reply_to: reply_to.as_deref(),
        subject: &given.subject,
        body: &given.body,
        body_type: if given.is_html {
            BodyType::Html
        } else {
            BodyType::Text
        },
        attachments: &attachments,
        answers,
    };
    let mail = letter.compose().unwrap();
    reads_back(&letter, &mail);
    mail
}

/// The names and addresses are those that were given, whatever Stead reads in a list of them.
fn check(given: &Given, mail: &[u8]) -> Result<(), TestCaseError> {
    let read = ReadableMail::of(&as_gmail_gives(mail));
    let people = |list: &[(String, String)]| -> Vec<Address> {
        let people = list.iter().map(|(name, email)| Address {
            name: (!name.is_empty()).then(|| name.clone()),
            email: Some(email.clone()),
        });
        people.collect()
    };
    prop_assert_eq!(&read.to, &people(&given.to));
    prop_assert_eq!(&read.cc, &people(&given.cc));
    prop_assert_eq!(&read.bcc, &people(&given.bcc));
    let reply_to: Vec<_> = given.reply_to.iter().cloned().collect();
    prop_assert_eq!(&read.reply_to, &people(&reply_to));
    prop_assert_eq!(read.subject.as_deref().unwrap_or_default(), &given.subject);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1_000), ..ProptestConfig::default() })]

    #[test]
    fn a_mail_reads_back_as_it_was_written(given in given()) {
        let mail = composed(&given, None);
        check(&given, &mail)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_reply_names_its_mail_and_goes_to_its_sender(original in given(), body in lines(), to_all in any::<bool>()) {
        let before = Answered { message_id: String::from("<first@x.example>"), references: vec![String::from("<zero@x.example>")] };
        let mail = composed(&original, Some(&before));
        let mut message = as_gmail_gives(&mail);
        let headers = message["payload"]["headers"].as_array_mut().unwrap();
        headers.push(json!({ "name": "From", "value": "Grace <grace@example.com>" }));
        headers.push(json!({ "name": "Message-Id", "value": "<second@x.example>" }));
        let original_mail = answer::Original::new(message, vec![String::from("me@example.com")]);

        let recipients = original_mail.recipients(to_all);
        let answered = original_mail.answered().unwrap();
        prop_assert_eq!(&answered.message_id, "<second@x.example>");
        prop_assert_eq!(&answered.references, &["<zero@x.example>", "<first@x.example>"]);
        let quoted = original_mail.quoted_below(&body, BodyType::Text);
        let subject = original_mail.subject();
        let letter = Letter {
            to: &recipients.to,
            cc: &recipients.cc,
            subject: &subject,
            body: &quoted,
            answers: Some(&answered),
            ..Letter::default()
        };
        let read = ReadableMail::of(&as_gmail_gives(&letter.compose().unwrap()));

        prop_assert_eq!(read.in_reply_to.as_deref(), Some("<second@x.example>"));
        prop_assert_eq!(read.references.as_deref(), Some("<zero@x.example> <first@x.example> <second@x.example>"));
        let subject = read.subject.unwrap_or_default();
        prop_assert!(subject.to_lowercase().starts_with("re:"), "{subject}");
        prop_assert!(subject.ends_with(&original.subject));
        let first = original.reply_to.as_ref().map_or("grace@example.com", |(_, email)| email);
        let to: Vec<&str> = read.to.iter().filter_map(|one| one.email.as_deref()).collect();
        prop_assert_eq!(to.first().copied(), Some(first));
        let everyone: Vec<&str> = read.to.iter().chain(&read.cc).filter_map(|one| one.email.as_deref()).collect();
        let others = original.to.iter().chain(&original.cc);
        for (_, email) in others {
            prop_assert_eq!(everyone.contains(&email.as_str()), to_all || email == first);
        }
        prop_assert!(read.bcc.is_empty(), "a reply doesn't reveal hidden recipients");
        prop_assert!(quoted.starts_with(&body), "the reply's own words come first");
    }

    #[test]
    fn no_text_becomes_a_header(name in "\\PC{0,20}[\r\n\0]{0,3}\\PC{0,20}", text in any::<String>(), place in 0..5) {
        let hostile = format!("{text}\r\nBcc: eve@evil.example\r\n{name}");
        let to = [if place == 0 { hostile.clone() } else { String::from("ada@example.com") }];
        let attachment = [NewAttachment {
            text: Some(hostile.clone()),
            ..NewAttachment::new(if place == 1 { &hostile } else { "a.txt" })
        }];
        let letter = Letter {
            to: &to,
            reply_to: (place == 2).then_some(&hostile),
            subject: if place == 3 { &hostile } else { "x" },
            body: &hostile,
            attachments: &attachment,
            ..Letter::default()
        };
        let Ok(mail) = letter.compose() else { return Ok(()); };
        prop_assert_eq!(recipients_of(&mail), Some([String::from("ada@example.com")].into()));
        let message = MessageParser::new().parse(&mail).unwrap();
        let names: Vec<&str> = message.headers().iter().map(|header| header.name.as_str()).collect();
        prop_assert_eq!(names, ["To", "Subject", "MIME-Version", "Content-Type"]);
    }
}

#[track_caller]
fn refused(letter: Letter<'_>) -> Vec<(String, String)> {
    let error = letter.compose().unwrap_err();
    let list = error.violation_list().iter();
    list.map(|one| (one.path.clone(), one.keyword.clone()))
        .collect()
}

#[test]
fn every_fault_is_named() {
    let texts =
        |list: &[&str]| -> Vec<String> { list.iter().map(|text| (*text).to_owned()).collect() };
    let to = texts(&[
        "ada@example.com",
        "ada",
        "a@b.example\r\nBcc: x@y.z",
        "ada@exämple.com",
    ]);
    let cc = texts(&["Zoë @ work <zoe@example.com>", ""]);
    let file = |name: &str, media_type: &str| NewAttachment {
        media_type: Some(media_type.to_owned()),
        text: Some(String::from("x")),
        ..NewAttachment::new(name)
    };
    let attachments = [
        file("a\nb", "text/plain"),
        file("c", "message/rfc822"),
        file("d", "pdf"),
        NewAttachment::new("e"),
        NewAttachment {
            content_base64: Some(String::from("%")),
            ..NewAttachment::new("f")
        },
    ];
    let letter = Letter {
        from: Some("a@x.example, b@x.example"),
        to: &to,
        cc: &cc,
        subject: "one\ntwo",
        body: "nul \0",
        attachments: &attachments,
        ..Letter::default()
    };
    let expected = [
        ("/from", "format"),
        ("/to/1", "format"),
        ("/to/2", "format"),
        ("/to/3", "format"),
        ("/cc/0", "format"),
        ("/cc/1", "format"),
        ("/subject", "pattern"),
        ("/attachments/0/name", "pattern"),
        ("/attachments/1/media_type", "format"),
        ("/attachments/2/media_type", "format"),
        ("/attachments/3", "oneOf"),
        ("/attachments/4/content_base64", "contentEncoding"),
        ("/body", "pattern"),
    ];
    let expected: Vec<_> = expected
        .map(|(path, keyword)| (path.to_owned(), keyword.to_owned()))
        .into();
    assert_eq!(refused(letter), expected);
}

#[test]
fn an_attachment_has_the_type_of_its_name() {
    for (name, is_text, media_type) in [
        ("report.pdf", false, "application/pdf"),
        ("rows.CSV", false, "text/csv"),
        ("rows.CSV", true, "text/csv"),
        ("picture.png", true, "text/plain"),
        ("notes", true, "text/plain"),
        ("notes", false, "application/octet-stream"),
        ("mail.eml", true, "text/plain"),
        ("mail.eml", false, "application/octet-stream"),
    ] {
        let content = || Some(String::from("YQ=="));
        let attachments = [NewAttachment {
            text: content().filter(|_| is_text),
            content_base64: content().filter(|_| !is_text),
            ..NewAttachment::new(name)
        }];
        let letter = Letter {
            attachments: &attachments,
            ..Letter::default()
        };
        let mail = letter.compose().unwrap();
        let message = MessageParser::new().parse(&mail).unwrap();
        let kind = message.attachment(0).unwrap().content_type().unwrap();
        let kind = format!("{}/{}", kind.ctype(), kind.subtype().unwrap());
        assert_eq!(kind, media_type, "{name}");
    }
}

#[test]
fn a_mail_that_is_too_large_is_refused() {
    let attachments = [NewAttachment {
        text: Some("x".repeat(MOST_BYTES)),
        ..NewAttachment::new("large.txt")
    }];
    let letter = Letter {
        attachments: &attachments,
        ..Letter::default()
    };
    assert_eq!(
        refused(letter),
        [(String::from("/attachments"), String::from("maxLength"))]
    );
}

#[test]
fn an_html_mail_has_a_plain_version_and_files_beside_both() {
    let to = [String::from("ada@example.com")];
    let attachments = [NewAttachment {
        text: Some(String::from("a,b\n")),
        media_type: Some(String::from("text/csv")),
        ..NewAttachment::new("ü.csv")
    }];
    let letter = Letter {
        to: &to,
        subject: "Grüße",
        body: "<p>Hello <b>Ada</b></p>",
        body_type: BodyType::Html,
        attachments: &attachments,
        ..Letter::default()
    };
    let mail = String::from_utf8(letter.compose().unwrap()).unwrap();
    let boundary = letter.boundary();
    let expected = format!(
        "To: <ada@example.com>\r\nSubject: =?utf-8?B?R3LDvMOfZQ==?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n \
         boundary=\"{boundary}-m\"\r\n\r\n--{boundary}-m\r\nContent-Type: multipart/alternative;\r\n boundary=\"{boundary}-a\"\r\n"
    );
    assert!(mail.starts_with(&expected), "{mail}");
    assert!(mail.contains("\r\nHello Ada\r\n"), "{mail}");
    assert!(mail.contains("\r\n<p>Hello <b>Ada</b></p>\r\n"), "{mail}");
    assert!(mail.contains("filename*=UTF-8''%C3%BC.csv"), "{mail}");
}
