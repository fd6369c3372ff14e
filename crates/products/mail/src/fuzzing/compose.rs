//! Properties of mails that Stead composes: they read back as they were written, and no text becomes a header.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders as _, PartType};
use serde_json::{Value, json};
use stead_google::decode_base64;

use crate::{
    Address, BodyType, NewAttachment, ReadableMail,
    address::parse_addresses,
    classify::recipients_of,
    compose::{Answered, Letter},
};

/// Mark between the members of an input. Few mails contain it.
const MARK: char = '\u{1f}';

/// Composes a mail from the members of the input. First come the form of the body, `from`, `to`, `cc`, `bcc`, `reply_to`, the
/// subject, the id of the mail that it answers, and the body. Then each attachment has a name, a type, a text and base64.
pub fn compose(input: &[u8]) {
    let input = String::from_utf8_lossy(input);
    let mut members = input.split(MARK);
    let mut next = || members.next().unwrap_or_default();
    let body_type = match next() {
        "h" => BodyType::Html,
        _ => BodyType::Text,
    };
    let [from, to, cc, bcc, reply_to, subject, id, body] = std::array::from_fn(|_| next());
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let list = |text: &str| -> Vec<String> { given(text).into_iter().collect() };
    let rest: Vec<&str> = members.collect();
    let attachments = rest.chunks(4).map(|members| {
        let member = |place: usize| members.get(place).copied().and_then(given);
        NewAttachment {
            name: member(0).unwrap_or_default(),
            media_type: member(1),
            text: member(2),
            content_base64: member(3),
        }
    });
    let attachments: Vec<NewAttachment> = attachments.collect();
    let (from, reply_to) = (given(from), given(reply_to));
    let answers = Answered {
        message_id: format!("<{}@example.com>", id.len()),
        references: Vec::new(),
    };
    let letter = Letter {
        from: from.as_deref(),
        to: &list(to),
        cc: &list(cc),
        bcc: &list(bcc),
        reply_to: reply_to.as_deref(),
        subject,
        body,
        body_type,
        attachments: &attachments,
        answers: (!id.is_empty()).then_some(&answers),
    };
    if let Ok(mail) = letter.compose() {
        reads_back(&letter, &mail);
    }
}

/// The mail has the headers, the recipients, the text and the files of its letter, and nothing else.
pub(crate) fn reads_back(letter: &Letter<'_>, mail: &[u8]) {
    assert_eq!(
        letter.compose().ok().as_deref(),
        Some(mail),
        "the same bytes"
    );
    for line in mail.split(|byte| *byte == b'\n') {
        assert!(line.len() <= 998, "a line of {} bytes", line.len());
    }
    headers(letter, mail);

    let read = ReadableMail::of(&as_gmail_gives(mail));
    let addresses = |given: &[String]| -> Vec<Address> {
        let given = given.iter().flat_map(|text| parse_addresses(text));
        given.map(as_words).collect()
    };
    let found = |list: &[Address]| -> Vec<Address> { list.iter().cloned().map(as_words).collect() };
    let one =
        |given: Option<&str>| -> Vec<String> { given.map(str::to_owned).into_iter().collect() };
    let from: Vec<Address> = read.from.iter().cloned().collect();
    for (given, found) in [
        (&*one(letter.from), found(&from)),
        (letter.to, found(&read.to)),
        (letter.cc, found(&read.cc)),
        (letter.bcc, found(&read.bcc)),
        (&*one(letter.reply_to), found(&read.reply_to)),
    ] {
        assert_eq!(found, addresses(given));
    }
    let subject = read.subject.as_deref().unwrap_or_default();
    assert_eq!(words(subject), words(letter.subject));
    content(letter, mail);
}

/// Every reader finds the same headers and recipients.
fn headers(letter: &Letter<'_>, mail: &[u8]) {
    let answers = letter.answers.is_some();
    let expected = [
        ("from", letter.from.is_some()),
        ("to", !letter.to.is_empty()),
        ("cc", !letter.cc.is_empty()),
        ("bcc", !letter.bcc.is_empty()),
        ("reply-to", letter.reply_to.is_some()),
        ("subject", !letter.subject.is_empty()),
        ("in-reply-to", answers),
        ("references", answers),
        ("mime-version", true),
        ("content-type", true),
    ];
    let expected = expected.into_iter().filter(|(_, is_there)| *is_there);
    let expected: Vec<&str> = expected.map(|(name, _)| name).collect();
    let is_of_content = |name: &str| name == "content-transfer-encoding";

    let (strict, _) = stead_google::headers(mail).expect("headers that policies can read");
    let strict = strict.into_iter().map(|(name, _)| name);
    let strict: Vec<String> = strict.filter(|name| !is_of_content(name)).collect();
    assert_eq!(strict, expected);
    let message = parse(mail);
    let lenient = message.headers().iter();
    let lenient = lenient.map(|header| header.name.as_str().to_ascii_lowercase());
    let lenient: Vec<String> = lenient.filter(|name| !is_of_content(name)).collect();
    assert_eq!(lenient, expected);

    let given = letter.to.iter().chain(letter.cc).chain(letter.bcc);
    let given = given.flat_map(|text| parse_addresses(text));
    let given = given.filter_map(|one| Some(one.email?.to_ascii_lowercase()));
    assert_eq!(recipients_of(mail), Some(given.collect()));
}

/// The parts are the text, for HTML the same as plain text, and the files.
fn content(letter: &Letter<'_>, mail: &[u8]) {
    let message = parse(mail);
    let (text, texts) = match letter.body_type {
        BodyType::Text => (message.text_part(0), 1),
        BodyType::Html => (message.html_part(0), 3),
    };
    let text = text.map(|part| String::from_utf8_lossy(part.contents()).into_owned());
    let on_lines = |text: &str| text.replace("\r\n", "\n");
    assert_eq!(on_lines(&text.unwrap_or_default()), on_lines(letter.body));
    let files = letter.attachments.len();
    let around = usize::from(files > 0);
    assert_eq!(message.parts.len(), texts + files + around);

    let found: Vec<&MessagePart<'_>> = message.attachments().collect();
    assert_eq!(found.len(), files);
    for (part, given) in found.into_iter().zip(letter.attachments) {
        let name = part.attachment_name().unwrap_or_default();
        assert_eq!(words(name), words(&given.name));
        if let Some(given) = &given.media_type {
            assert!(media_type(part).eq_ignore_ascii_case(given));
        }
        let given = match (&given.text, &given.content_base64) {
            (Some(text), _) => Some(text.as_bytes().to_vec()),
            (None, content) => decode_base64(content.as_deref().unwrap_or_default()),
        };
        assert_eq!(Some(bytes(&message, part)), given);
    }
}

fn parse(mail: &[u8]) -> Message<'_> {
    MessageParser::new().parse(mail).expect("a mail")
}

/// A text with single spaces, since readers fold and trim headers.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn as_words(address: Address) -> Address {
    let name = address.name.map(|name| words(&name));
    Address {
        name: name.filter(|name| !name.is_empty()),
        ..address
    }
}

fn media_type(part: &MessagePart<'_>) -> String {
    part.content_type().map_or("text/plain".to_owned(), |kind| {
        format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default())
    })
}

/// The bytes of an attachment. The parser itself decodes those of texts as characters.
fn bytes(message: &Message<'_>, part: &MessagePart<'_>) -> Vec<u8> {
    let body = part.offset_body as usize..part.offset_end as usize;
    let body = &message.raw_message()[body];
    let body = body.iter().filter(|byte| !byte.is_ascii_whitespace());
    let body: Vec<u8> = body.copied().collect();
    STANDARD.decode(body).expect("base64")
}

/// A mail as Gmail's API gives it.
pub(crate) fn as_gmail_gives(mail: &[u8]) -> Value {
    json!({
        "id": "m1",
        "threadId": "t1",
        "labelIds": ["INBOX"],
        "internalDate": "1777900000000",
        "payload": part_of(&parse(mail), 0, ""),
    })
}

fn part_of(message: &Message<'_>, index: usize, id: &str) -> Value {
    let part = &message.parts[index];
    let raw = message.raw_message();
    let headers = part.headers.iter().map(|header| {
        let value = &raw[header.offset_start as usize..header.offset_end as usize];
        let value = String::from_utf8_lossy(value).replace("\r\n", "");
        json!({ "name": header.name.as_str(), "value": value.trim() })
    });
    let headers: Vec<Value> = headers.collect();
    let mut given = json!({
        "partId": id,
        "mimeType": media_type(part),
        "filename": part.attachment_name().unwrap_or_default(),
        "headers": headers,
    });
    match &part.body {
        PartType::Multipart(children) => {
            let children = children.iter().enumerate().map(|(place, child)| {
                let id = if id.is_empty() {
                    place.to_string()
                } else {
                    format!("{id}.{place}")
                };
                part_of(message, *child as usize, &id)
            });
            given["parts"] = children.collect();
            given["body"] = json!({ "size": 0 });
        }
        _ => {
            let bytes = part.contents();
            given["body"] = json!({ "size": bytes.len(), "data": URL_SAFE_NO_PAD.encode(bytes) });
        }
    }
    given
}
