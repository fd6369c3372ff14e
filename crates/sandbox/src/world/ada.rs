//! Ada Lovelace: a full mailbox, with one message of each kind that is hard to read.

use bytes::Bytes;

use super::{
    Mailbox, User, UserLabel,
    compose::{Transfer, file, filler, html, letter, multipart, plain, text},
    contacts,
    mime::Message,
};

const ADA: &str = "Ada Lovelace <ada@example.com>";
const GRACE: &str = "Grace Hopper <grace@example.com>";
const CHARLES: &str = "Charles Babbage <charles@engine.example>";

/// One red pixel.
const PIXEL_PNG: [u8; 69] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53,
    0xde, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0xcf, 0xc0, 0x00,
    0x00, 0x03, 0x01, 0x01, 0x00, 0xf7, 0x03, 0x41, 0x43, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

/// Size of the large attachment: one mebibyte.
const REPORT_BYTES: usize = 1024 * 1024;

pub(super) fn user() -> User {
    User {
        email: "ada@example.com",
        name: "Ada Lovelace",
        subject: "100000000000000000001",
        picture: "https://lh3.googleusercontent.com/a/sandbox-ada",
        mailbox: Mailbox::new(
            messages(),
            vec![
                UserLabel {
                    id: "Label_1",
                    name: "Engine",
                },
                UserLabel {
                    id: "Label_2",
                    name: "Reisen/Köln",
                },
            ],
        ),
        contacts: contacts::of_ada(),
        other_contacts: contacts::others_of_ada(),
    }
}

fn messages() -> Vec<Message> {
    let mut messages = vec![
        lunch(),
        pictures(),
        report(),
        minutes(),
        greetings(),
        protocol(),
        newsletter(),
        invitation(),
        forwarded(),
        spam(),
        trash(),
    ];
    messages.extend(review());
    messages.extend(drafts());
    messages
}

/// Plain text only.
fn lunch() -> Message {
    letter("ada/lunch", "2026-05-04T08:12:09Z")
        .labels(&["UNREAD", "IMPORTANT", "CATEGORY_PERSONAL", "INBOX"])
        .about(GRACE, ADA, "Lunch on Thursday?")
        .holds(plain(
            "Hi Ada,\n\nshall we have lunch on Thursday at noon? The café by the harbour has a table for us.\n\nDon't bring the engine & its cards this time.\n\nGrace\n",
        ))
}

/// A thread of three, each as text and as HTML.
fn review() -> [Message; 3] {
    [
        letter("ada/review/1", "2026-04-28T09:30:00Z")
            .labels(&["CATEGORY_PERSONAL", "INBOX", "Label_1"])
            .about(CHARLES, "\"Lovelace, Ada\" <ada@example.com>", "Review of chapter 3")
            .header("Cc", "Mary Somerville <mary@science.example>")
            .holds(multipart(
                "alternative",
                "review-one",
                vec![
                    plain("Dear Ada,\n\nplease look at chapter 3 of the notes on the engine. Is the table of operations right?\n\nCharles\n"),
                    html("<p>Dear Ada,</p><p>please look at <b>chapter 3</b> of the notes on the engine. Is the table of operations right?</p><p>Charles</p>"),
                ],
            )),
        letter("ada/review/2", "2026-04-29T14:05:30Z")
            .reply_to("ada/review/1", "ada/review/1")
            .labels(&["SENT", "Label_1"])
            .about(ADA, CHARLES, "Re: Review of chapter 3")
            .holds(multipart(
                "alternative",
                "review-two",
                vec![
                    plain("Operation 4 in the table divides by the wrong variable. I have marked it.\n\nAda\n\nOn Tue, 28 Apr 2026 at 09:30, Charles Babbage wrote:\n> please look at chapter 3 of the notes on the engine.\n> Is the table of operations right?\n"),
                    html("<p>Operation 4 in the table divides by the wrong variable. I have marked it.</p><p>Ada</p><div class=\"gmail_quote\">On Tue, 28 Apr 2026 at 09:30, Charles Babbage wrote:<blockquote>please look at chapter 3 of the notes on the engine. Is the table of operations right?</blockquote></div>"),
                ],
            )),
        letter("ada/review/3", "2026-04-30T07:45:12Z")
            .reply_to("ada/review/1", "ada/review/2")
            .labels(&["STARRED", "IMPORTANT", "CATEGORY_PERSONAL", "INBOX", "Label_1"])
            .about(CHARLES, ADA, "Re: Review of chapter 3")
            .holds(multipart(
                "alternative",
                "review-three",
                vec![
                    plain("You are right, as always. Corrected.\n\nCharles\n\nOn Wed, 29 Apr 2026 at 14:05, Ada Lovelace wrote:\n> Operation 4 in the table divides by the wrong variable.\n"),
                    html("<p>You are right, as always. Corrected.</p><p>Charles</p><div class=\"gmail_quote\">On Wed, 29 Apr 2026 at 14:05, Ada Lovelace wrote:<blockquote>Operation 4 in the table divides by the wrong variable.</blockquote></div>"),
                ],
            )),
    ]
}

/// HTML with a picture inside, and text next to it.
fn pictures() -> Message {
    let mut picture = file(
        "image/png",
        "workshop.png",
        "inline",
        Bytes::from_static(&PIXEL_PNG),
    );
    picture.headers.push((
        "Content-ID".to_owned(),
        "<workshop@engine.example>".to_owned(),
    ));
    picture.headers.push((
        "X-Attachment-Id".to_owned(),
        "workshop@engine.example".to_owned(),
    ));
    letter("ada/pictures", "2026-04-25T16:20:00Z")
        .labels(&["CATEGORY_PERSONAL", "INBOX"])
        .about(CHARLES, ADA, "Pictures of the workshop")
        .holds(multipart(
            "related",
            "pictures-related",
            vec![
                multipart(
                    "alternative",
                    "pictures-alternative",
                    vec![
                        plain("The workshop as of today:\n[image: workshop.png]\n"),
                        html("<p>The workshop as of today:</p><img src=\"cid:workshop@engine.example\" alt=\"workshop.png\">"),
                    ],
                ),
                picture,
            ],
        ))
}

/// Two files, one of them of exactly one mebibyte.
fn report() -> Message {
    letter("ada/report", "2026-04-22T11:00:00Z")
        .labels(&["IMPORTANT", "CATEGORY_UPDATES", "INBOX", "Label_1"])
        .about(
            "Mary Somerville <mary@science.example>",
            "Ada Lovelace <ada@example.com>, Charles Babbage <charles@engine.example>",
            "Quarterly report & figures",
        )
        .holds(multipart(
            "mixed",
            "report-mixed",
            vec![
                plain("The report is attached, the figures are in the second file.\n\nMary\n"),
                file(
                    "application/pdf",
                    "Bericht für Q1 – Übersicht.pdf",
                    "attachment",
                    filler(b"%PDF-1.4\n", REPORT_BYTES),
                ),
                file(
                    "text/plain",
                    "figures.txt",
                    "attachment",
                    Bytes::from_static(b"quarter;gears\n1;1024\n2;2048\n"),
                ),
            ],
        ))
}

/// Japanese; Gmail gives UTF-8 while the header still names another character set.
fn minutes() -> Message {
    letter("ada/minutes", "2026-04-20T05:10:00Z")
        .labels(&["CATEGORY_PERSONAL", "INBOX"])
        .about("田中 花 <hana@nihon.example>", ADA, "会議の議事録")
        .holds(text(
            "text/plain",
            "iso-2022-jp",
            Transfer::Plain,
            "エイダさん\n\n先日の会議の議事録をお送りします。\n次回は五月十一日です。\n\n田中 花\n",
        ))
}

/// German in ISO 8859-1.
fn greetings() -> Message {
    letter("ada/greetings", "2026-04-18T18:33:00Z")
        .labels(&["CATEGORY_PERSONAL", "INBOX", "Label_2"])
        .about("Jürgen Müller <juergen@koeln.example>", ADA, "Grüße aus Köln")
        .holds(text(
            "text/plain",
            "iso-8859-1",
            Transfer::Plain,
            "Liebe Ada,\n\nschöne Grüße aus Köln! Die Brücke über den Rhein ist größer, als ich dachte.\n\nDein Jürgen\n",
        ))
}

/// Russian in UTF-8, in base64.
fn protocol() -> Message {
    letter("ada/protocol", "2026-04-16T10:02:00Z")
        .labels(&["UNREAD", "CATEGORY_PERSONAL", "INBOX"])
        .about(
            "Иван Петров <ivan@neva.example>",
            ADA,
            "Протокол встречи в Санкт-Петербурге и приложения к нему",
        )
        .holds(text(
            "text/plain",
            "utf-8",
            Transfer::Base64,
            "Здравствуйте, Ада!\n\nВысылаю протокол встречи.\n\nИван\n",
        ))
}

/// HTML only, with a style sheet and a tracking pixel.
fn newsletter() -> Message {
    letter("ada/newsletter", "2026-05-01T06:00:00Z")
        .labels(&["UNREAD", "CATEGORY_PROMOTIONS", "INBOX"])
        .about("The Loom <news@loom.example>", ADA, "The Loom, issue 42: cards & patterns")
        .header("List-Unsubscribe", "<https://loom.example/off?u=1>, <mailto:off@loom.example>")
        .holds(html(
            "<html><head><style>p { color: #333 }</style></head><body><h1>The Loom</h1><p>Cards &amp; patterns of the month. <a href=\"https://loom.example/read?id=42\">Read more</a></p><p>You get this because you subscribed.</p><img src=\"https://track.loom.example/open.gif?u=1\" width=\"1\" height=\"1\" alt=\"\"></body></html>",
        ))
}

/// An invitation: as text, as HTML, as a calendar object, and the same as a file.
fn invitation() -> Message {
    let calendar = "BEGIN:VCALENDAR\r\nPRODID:-//Example//Sandbox//EN\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:engine-demo@engine.example\r\nDTSTAMP:20260502T120000Z\r\nDTSTART:20260511T130000Z\r\nDTEND:20260511T140000Z\r\nSUMMARY:Engine demonstration\r\nORGANIZER;CN=Charles Babbage:mailto:charles@engine.example\r\nATTENDEE;CN=Ada Lovelace;RSVP=TRUE:mailto:ada@example.com\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let mut object = text(
        "text/calendar; method=REQUEST",
        "utf-8",
        Transfer::Plain,
        "",
    );
    object.content = super::mime::Content::Text(calendar.to_owned(), "utf-8");
    letter("ada/invitation", "2026-05-02T12:00:00Z")
        .labels(&["CATEGORY_UPDATES", "INBOX"])
        .about(CHARLES, ADA, "Invitation: Engine demonstration @ Mon 11 May 2026")
        .holds(multipart(
            "mixed",
            "invitation-mixed",
            vec![
                multipart(
                    "alternative",
                    "invitation-alternative",
                    vec![
                        plain("You are invited: Engine demonstration, Monday 11 May 2026, 13:00 to 14:00 UTC.\n"),
                        html("<p>You are invited: <b>Engine demonstration</b>, Monday 11 May 2026, 13:00 to 14:00 UTC.</p>"),
                        object,
                    ],
                ),
                file(
                    "application/ics",
                    "invite.ics",
                    "attachment",
                    Bytes::from_static(calendar.as_bytes()),
                ),
            ],
        ))
}

/// A message attached to a message.
fn forwarded() -> Message {
    let offer = letter("engine/offer", "2026-04-10T13:00:00Z")
        .about(
            "Gear Works <sales@gears.example>",
            GRACE,
            "Offer for 200 gears",
        )
        .attached_as(
            "Offer for 200 gears.eml",
            plain("We offer 200 gears of brass.\n\nGear Works\n"),
        );
    letter("ada/forwarded", "2026-04-11T08:00:00Z")
        .labels(&["CATEGORY_PERSONAL", "INBOX", "Label_1"])
        .about(GRACE, ADA, "Fwd: Offer for 200 gears")
        .holds(multipart(
            "mixed",
            "forwarded-mixed",
            vec![
                plain("The offer is attached. What do you think?\n\nGrace\n"),
                offer,
            ],
        ))
}

fn spam() -> Message {
    letter("ada/spam", "2026-05-03T03:03:03Z")
        .labels(&["UNREAD", "SPAM"])
        .about(
            "Prize Office <win@prize.example>",
            ADA,
            "You have won a steam engine",
        )
        .holds(plain(
            "Send us your account number to receive your engine.\n",
        ))
}

fn trash() -> Message {
    letter("ada/trash", "2026-03-30T12:00:00Z")
        .labels(&["TRASH"])
        .about(
            "Print Shop <orders@print.example>",
            ADA,
            "Your order is ready",
        )
        .holds(plain("Your punched cards are ready to be picked up.\n"))
}

/// One draft of its own, one that replies.
fn drafts() -> [Message; 2] {
    [
        letter("ada/draft/note", "2026-05-03T20:15:00Z")
            .labels(&["DRAFT"])
            .about(ADA, "Mary Somerville <mary@science.example>", "Note G")
            .holds(plain("Dear Mary,\n\nhere is a first sketch of Note G.\n")),
        letter("ada/draft/lunch", "2026-05-04T08:30:00Z")
            .reply_to("ada/lunch", "ada/lunch")
            .labels(&["DRAFT"])
            .about(ADA, GRACE, "Re: Lunch on Thursday?")
            .holds(plain("With pleasure!\n")),
    ]
}
