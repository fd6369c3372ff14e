//! The readable view of mails loses nothing silently: omitted text has a mark and a handle.

mod html;
mod people;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::HeaderMap;
use serde_json::{Value, json};
use stead_core::tool::{Response, Tool, ToolEntry};
use stead_mail::{FetchMails, GetMessageById, GetThreadById, PRODUCT};
use stead_testkit::{Canned, cases, drive, fixture::CallSetup};

/// A view, and the texts that its handles read.
struct Seen {
    view: Value,
    wholes: Vec<String>,
}

impl Seen {
    fn text(&self) -> &str {
        self.view["text"].as_str().unwrap_or_default()
    }

    fn is_truncated(&self) -> bool {
        self.view["truncated"] == true
    }

    fn has_whole(&self, words: &str) -> bool {
        self.wholes.iter().any(|whole| whole.contains(words))
    }
}

/// The readable view of a call's result.
#[track_caller]
fn read<T: Tool>(input: &Value, responses: &[Value]) -> Seen {
    let responses = responses.iter();
    let responses = responses.map(|body| Response::new(200, HeaderMap::new(), body.to_string()));
    let canned = Canned::new(&PRODUCT, responses);
    let tool = ToolEntry::of::<T>().parse(input.clone()).expect("an input");
    let setup = CallSetup {
        readable: true,
        ..CallSetup::default()
    };
    let output = drive(&*tool, &setup.to_call(&PRODUCT), &canned).expect("an output");
    let (data, _) = output.into_json().expect("JSON");
    let data: Value = serde_json::from_str(data.get()).expect("JSON");
    let view = T::READABLE.expect("a view");
    let (view, wholes) = view.with_wholes(data.clone()).expect("JSON");
    let whole = |pointer: &str| match data.pointer(pointer).expect("a pointer into the result") {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let wholes = wholes.iter().map(|one| whole(&one.pointer)).collect();
    Seen { view, wholes }
}

fn part(kind: &str, content: &str) -> Value {
    let data = URL_SAFE_NO_PAD.encode(content);
    json!({ "partId": "0", "mimeType": kind, "filename": "", "headers": [], "body": { "size": content.len(), "data": data } })
}

fn message(mut payload: Value, headers: &[(&str, &str)]) -> Value {
    if payload["mimeType"] != "multipart/mixed" {
        payload["partId"] = json!("");
    }
    let own = payload["headers"].as_array().cloned().unwrap_or_default();
    let headers = headers
        .iter()
        .map(|(name, value)| json!({ "name": name, "value": value }));
    payload["headers"] = headers.chain(own).collect();
    json!({ "id": "m1", "threadId": "t1", "labelIds": [], "snippet": "the snippet", "internalDate": "1777885200000", "payload": payload })
}

#[track_caller]
fn mail(payload: Value, headers: &[(&str, &str)]) -> Seen {
    read::<GetMessageById>(&json!({ "message_id": "m1" }), &[message(payload, headers)])
}

fn plain(text: &str) -> Seen {
    mail(part("text/plain", text), &[])
}

fn html(text: &str) -> Seen {
    mail(part("text/html", text), &[])
}

fn alternative(parts: &[Value]) -> Value {
    json!({ "partId": "", "mimeType": "multipart/alternative", "headers": [], "body": { "size": 0 }, "parts": parts })
}

const REPLY: [(&str, &str); 2] = [("Subject", "Re: Lunch"), ("In-Reply-To", "<1@x>")];
const INTRODUCTION: &str = "On Mon, May 4, 2026 at 9:00 AM Ada <ada@x.org> wrote:";

#[test]
fn forwarded_replied_and_indented_text_stays() {
    for text in [
        "Please pay this.\n\n-----Original Message-----\nFrom: shop@example.com\n\nInvoice 77: 300 EUR to IBAN X.",
        "See below.\n\n> Begin forwarded message:\n> From: shop@example.com\n> Please pay 300 EUR.",
        "Dear Bob,\n-----Original Message-----\nWhen?\n-----End Original Message-----\n\nTuesday at ten, please.",
        "Run this:\n\n>>> import os\n>>> os.getcwd()",
        "Log:\n> npm run build",
        "FYI\n\n-----Ursprüngliche Nachricht-----\nVon: Ada\n\nRechnung 77",
        &format!("Fine.\n\n{INTRODUCTION}\n> When?\n\nTuesday.\n> Where?\n\nAt Joe's."),
        &format!(
            "FYI\n\n---------- Forwarded message ---------\nFrom: Ada\n\n{INTRODUCTION}\n> the order"
        ),
    ] {
        for headers in [&[][..], &REPLY] {
            let seen = mail(part("text/plain", text), headers);
            assert_eq!((seen.text(), seen.is_truncated()), (text, false));
        }
    }
    // A reply that became a forward still has the headers of a reply.
    let forward = format!("FYI\n\n{INTRODUCTION}\n> the order");
    let seen = mail(
        part("text/plain", &forward),
        &[("Subject", "Fwd: Lunch"), REPLY[1]],
    );
    assert_eq!(seen.text(), forward);
    // A mail that isn't a reply keeps its text too.
    assert_eq!(plain(&forward).text(), forward);

    let indented = "To order:<blockquote style=\"margin:0 0 0 40px;border:none;padding:0px\">10 pens<br>3 books</blockquote>";
    let apple =
        "See below.<blockquote type=\"cite\">Begin forwarded message:<br>10 pens</blockquote>";
    for text in [indented, apple] {
        let seen = mail(part("text/html", text), &REPLY);
        assert!(
            seen.text().contains("10 pens") && !seen.is_truncated(),
            "{}",
            seen.text()
        );
    }
}

#[test]
fn the_quotation_of_a_reply_is_marked_and_has_a_handle() {
    let text = format!("Fine.\n\n{INTRODUCTION}\n> Shall we?\n>> Yes.\n");
    let quoted = format!(
        "<div>Fine.</div><div class=gmail_quote><div class=gmail_attr>{}<br></div><blockquote class=gmail_quote>Shall we?</blockquote></div>",
        INTRODUCTION.replace('<', "&lt;"),
    );
    for part in [part("text/plain", &text), part("text/html", &quoted)] {
        let seen = mail(part, &REPLY);
        let expected = format!("Fine.\n{INTRODUCTION}\n[quoted history left out]");
        assert_eq!(seen.text().replace("\n\n", "\n"), expected);
        assert!(seen.is_truncated() && seen.has_whole("Shall we?"));
    }
}

#[test]
fn html_is_used_if_the_text_has_less_content() {
    let booking = "<p>Your booking 4711 is confirmed for the 4th of May at nine in the morning, room 12, two people.</p>";
    for text in [
        "",
        "\r\n\r\n",
        "\u{a0} \u{200c}\u{34f}",
        "Your client does not support HTML emails. <!-- x -->",
        "This mail needs an HTML reader: https://shop.example/view/in/a/browser/with/a/very/long/address/0123456789012345678901234567890123456789",
    ] {
        let payload = alternative(&[part("text/plain", text), part("text/html", booking)]);
        for seen in [
            mail(payload.clone(), &[]),
            mail(
                json!({ "mimeType": "multipart/mixed", "parts": [payload] }),
                &[],
            ),
        ] {
            assert!(
                seen.text().contains("booking 4711"),
                "{text:?}: {}",
                seen.text()
            );
            assert!(
                seen.text().contains(
                    text.trim_matches(['\r', '\n', '\u{a0}', ' ', '\u{200c}', '\u{34f}'])
                )
            );
        }
    }
    let payload = alternative(&[
        part("text/plain", ""),
        part("text/html", "<p>Your balance is 12</p>"),
    ]);
    assert_eq!(mail(payload.clone(), &[]).text(), "Your balance is 12");
    let found = read::<FetchMails>(
        &json!({}),
        &[
            json!({ "messages": [{ "id": "m1" }] }),
            message(payload, &[]),
        ],
    );
    assert_eq!(found.view["messages"][0]["text"], "Your balance is 12");
    // If the text says as much as the HTML, the sender's text is used.
    let payload = alternative(&[
        part("text/plain", "Hello *Ada*"),
        part("text/html", "<p>Hello <b>Ada</b></p>"),
    ]);
    assert_eq!(mail(payload, &[]).text(), "Hello *Ada*");
}

#[test]
fn bodies_of_any_type_of_text_are_read() {
    for kind in [
        "text/markdown",
        "text/x-patch",
        "text/enriched",
        "TEXT/PLAIN",
    ] {
        let seen = mail(part(kind, "# Hi\nThe whole mail"), &[]);
        assert_eq!(seen.text(), "# Hi\nThe whole mail", "{kind}");
        assert_eq!(
            mail(alternative(&[part(kind, "# Hi")]), &[]).text(),
            "# Hi",
            "{kind}"
        );
    }
    let mut named = part("text/plain", "The whole mail");
    named["filename"] = json!("body.txt");
    for disposition in ["inline; filename=body.txt", ""] {
        let seen = mail(named.clone(), &[("Content-Disposition", disposition)]);
        assert_eq!(seen.text(), "The whole mail");
        assert_eq!(seen.view["attachments"][0]["name"], "body.txt");
    }
    let inner = json!({ "partId": "1", "mimeType": "text/plain", "filename": "notes.txt", "body": { "size": 5, "data": "bm90ZXM" },
        "headers": [{ "name": "Content-Disposition", "value": "inline" }] });
    let mixed =
        json!({ "mimeType": "multipart/mixed", "parts": [part("text/plain", "Hi"), inner] });
    let seen = mail(mixed, &[]);
    assert_eq!(
        (seen.text(), &seen.view["attachments"][0]["name"]),
        ("Hi\nnotes", &json!("notes.txt"))
    );
    let seen = mail(part("text/calendar", "BEGIN:VCALENDAR"), &[]);
    assert_eq!(seen.view["calendar_invite"], "BEGIN:VCALENDAR");
    let invites = [
        part("text/calendar", "BEGIN:VCALENDAR"),
        part("text/calendar", "SECOND"),
    ];
    let seen = mail(
        json!({ "mimeType": "multipart/mixed", "parts": invites }),
        &[],
    );
    assert_eq!(seen.view["attachments"][0]["type"], "text/calendar");
}

#[test]
fn files_are_listed_with_all_their_names() {
    let table = r#"
        empty.pdf => 0 => => empty.pdf
        => 0 => Content-Disposition: attachment; filename*0*=utf-8''r%C3%A9; filename*1*=sum.pdf => résum.pdf
        => 3 => Content-Disposition: attachment; filename*=utf-8''r%C3%A9sum.pdf => résum.pdf
        => 3 => Content-Type: application/pdf; name="=?utf-8?q?r=C3=A9sum.pdf?=" => résum.pdf
    "#;
    for [file_name, size, header, name] in cases(table) {
        let headers = header.split_once(": ").into_iter();
        let headers: Value = headers
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect();
        let file = json!({
            "partId": "1", "mimeType": "application/pdf", "filename": file_name,
            "headers": headers, "body": { "size": size.parse::<u64>().unwrap() },
        });
        let mixed =
            json!({ "mimeType": "multipart/mixed", "parts": [part("text/plain", "Hi"), file] });
        assert_eq!(mail(mixed, &[]).view["attachments"][0]["name"], name);
    }
}

#[test]
fn headers_named_by_the_call_are_in_the_view() {
    let headers = [
        ("From", "Ada <ada@x.org>"),
        ("x-priority", "1"),
        ("Message-ID", "<1@x>"),
        ("List-Unsubscribe", "<https://x.example/out>"),
        ("Received", "by x"),
    ];
    let mut only_headers = message(part("text/plain", ""), &headers);
    only_headers["payload"]
        .as_object_mut()
        .expect("an object")
        .remove("body");
    let input = json!({ "thread_id": "t1", "format": "metadata", "metadata_headers": ["X-Priority", "Message-ID", "List-Unsubscribe", "From"] });
    let thread =
        read::<GetThreadById>(&input, &[json!({ "id": "t1", "messages": [only_headers] })]);
    let mail = &thread.view["messages"][0];
    assert_eq!(mail["from"], "Ada <ada@x.org>");
    assert_eq!(
        mail["headers"],
        json!([
            { "name": "x-priority", "value": "1" },
            { "name": "Message-ID", "value": "<1@x>" },
            { "name": "List-Unsubscribe", "value": "<https://x.example/out>" },
        ])
    );

    let raw =
        json!({ "id": "m1", "threadId": "t1", "snippet": "Hi", "raw": "U3ViamVjdDogSGkKCkhp" });
    let seen = read::<GetMessageById>(
        &json!({ "message_id": "m1", "format": "raw" }),
        std::slice::from_ref(&raw),
    );
    assert_eq!(seen.view["raw"], raw["raw"]);
    assert!(seen.has_whole("U3ViamVjdDogSGkKCkhp"));
    let found = read::<FetchMails>(
        &json!({ "format": "raw" }),
        &[json!({ "messages": [{ "id": "m1" }] }), raw.clone()],
    );
    assert_eq!(found.view["messages"][0]["raw"], raw["raw"]);
}

#[test]
fn shortened_values_are_marked_and_have_a_handle() {
    let people: Vec<String> = (0..30).map(|number| format!("p{number}@x.org")).collect();
    let long = "s".repeat(1_000);
    for (header, value, whole) in [
        ("To", people.join(", "), "p29@x.org"),
        ("Cc", people.join(", "), "p29@x.org"),
        ("Subject", long.clone(), &*long),
    ] {
        let seen = mail(part("text/plain", "Hi"), &[(header, &value)]);
        assert!(seen.is_truncated() && seen.has_whole(whole), "{header}");
    }
    let name = format!("{long}.pdf");
    let file = json!({ "partId": "1", "mimeType": "application/pdf", "filename": name, "body": { "size": 1, "attachmentId": "a" } });
    let seen = mail(
        json!({ "mimeType": "multipart/mixed", "parts": [part("text/plain", "Hi"), file] }),
        &[],
    );
    assert!(seen.is_truncated() && seen.has_whole(&name));
    let seen = plain(&"word ".repeat(3_000));
    assert!(seen.is_truncated() && seen.has_whole(&"word ".repeat(3_000)));
    let invite = format!("BEGIN:VCALENDAR\n{}", "x".repeat(5_000));
    let seen = mail(part("text/calendar", &invite), &[]);
    assert!(seen.is_truncated() && seen.has_whole(&invite));
    // This message has a snippet, but no text.
    let minimal = json!({ "id": "m1", "threadId": "t1", "snippet": "Tom &amp; Jerry" });
    let seen = read::<GetMessageById>(
        &json!({ "message_id": "m1", "format": "minimal" }),
        &[minimal],
    );
    assert_eq!((seen.text(), seen.is_truncated()), ("Tom & Jerry", true));
}

#[test]
fn all_senders_and_recipients_are_in_the_view() {
    let both = "Ada <ada@x.org>, Grace <grace@x.org>";
    let headers = [("From", both), ("To", "a@x.org"), ("TO", "b@x.org")];
    let seen = mail(part("text/plain", "Hi"), &headers);
    assert_eq!(seen.view["to"], json!(["a@x.org", "b@x.org"]));
    assert_eq!(
        seen.view["headers"],
        json!([{ "name": "From", "value": both }])
    );
}
