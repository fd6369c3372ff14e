//! Grace Hopper: a small mailbox that shares nothing with Ada's.

use super::{
    Mailbox, User, UserLabel,
    compose::{letter, plain},
    contacts,
};

const GRACE: &str = "Grace Hopper <grace@example.com>";

pub(super) fn user() -> User {
    let messages = vec![
        letter("grace/lunch", "2026-05-04T08:12:05Z")
            .labels(&["SENT"])
            .about(
                GRACE,
                "Ada Lovelace <ada@example.com>",
                "Lunch on Thursday?",
            )
            .holds(plain(
                "Hi Ada,\n\nshall we have lunch on Thursday at noon?\n\nGrace\n",
            )),
        letter("grace/moth", "2026-05-03T17:45:00Z")
            .labels(&["UNREAD", "CATEGORY_PERSONAL", "INBOX", "Label_7"])
            .about(
                "Howard Aiken <howard@navy.example>",
                GRACE,
                "A moth in relay 70",
            )
            .holds(plain(
                "We found a moth in relay 70 of panel F. It is taped into the log book.\n",
            )),
        letter("grace/compiler", "2026-05-01T09:00:00Z")
            .labels(&["STARRED", "CATEGORY_PERSONAL", "INBOX"])
            .about(
                "Betty Holberton <betty@univac.example>",
                GRACE,
                "The compiler works",
            )
            .holds(plain("It translated the whole deck without an error.\n")),
        letter("grace/nanosecond", "2026-04-21T15:30:00Z")
            .labels(&["CATEGORY_UPDATES", "INBOX"])
            .about(
                "Wire Works <orders@wire.example>",
                GRACE,
                "Your order: 500 wires of 30 cm",
            )
            .holds(plain("Your wires were sent today.\n")),
    ];
    User {
        email: "grace@example.com",
        name: "Grace Hopper",
        subject: "100000000000000000002",
        picture: "https://lh3.googleusercontent.com/a/sandbox-grace",
        mailbox: Mailbox::new(
            messages,
            vec![UserLabel {
                id: "Label_7",
                name: "Bugs",
            }],
        ),
        contacts: contacts::of_grace(),
        other_contacts: contacts::others_of_grace(),
    }
}
