//! People whom the users know.

/// A contact, or a person whom the user once wrote to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Person {
    /// `people/c…` or `otherContacts/c…`.
    pub(crate) resource_name: String,
    pub(crate) given: &'static str,
    pub(crate) family: &'static str,
    pub(crate) nickname: &'static str,
    /// Address and type.
    pub(crate) emails: Vec<(&'static str, &'static str)>,
    /// Number as written, in canonical form, and type.
    pub(crate) phones: Vec<(&'static str, &'static str, &'static str)>,
    /// Name and title.
    pub(crate) organization: Option<(&'static str, &'static str)>,
    pub(crate) biography: &'static str,
    /// RFC 3339, UTC.
    pub(crate) modified: &'static str,
}

impl Person {
    /// Given and family name; empty if there is neither.
    pub(crate) fn display_name(&self) -> String {
        [self.given, self.family]
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Ada's contacts, the one that was changed first in front.
pub(super) fn of_ada() -> Vec<Person> {
    vec![
        Person {
            organization: Some(("Engine Works", "Inventor")),
            emails: vec![("charles@engine.example", "work")],
            biography: "Prefers letters.",
            ..contact(1, "Charles", "Babbage", "2025-11-02T10:00:00Z")
        },
        Person {
            nickname: "Amazing Grace",
            organization: Some(("Navy", "Rear Admiral")),
            emails: vec![
                ("grace@example.com", "home"),
                ("hopper@navy.example", "work"),
            ],
            phones: vec![("+1 (555) 0100 42", "+1555010042", "mobile")],
            ..contact(2, "Grace", "Hopper", "2025-12-09T10:00:00Z")
        },
        Person {
            emails: vec![("mary@science.example", "work")],
            ..contact(3, "Mary", "Somerville", "2026-01-15T10:00:00Z")
        },
        Person {
            emails: vec![("hana@nihon.example", "work")],
            ..contact(4, "花", "田中", "2026-02-01T10:00:00Z")
        },
        Person {
            emails: vec![("juergen@koeln.example", "home")],
            phones: vec![("0221 555 0199", "+492215550199", "home")],
            ..contact(5, "Jürgen", "Müller", "2026-02-20T10:00:00Z")
        },
        Person {
            emails: vec![("ivan@neva.example", "work")],
            ..contact(6, "Иван", "Петров", "2026-03-03T10:00:00Z")
        },
        Person {
            organization: Some(("Print Shop", "")),
            phones: vec![("+44 20 7946 0123", "+442079460123", "work")],
            ..contact(7, "", "", "2026-04-04T10:00:00Z")
        },
    ]
}

/// People whom Ada wrote to; one shares an address with a contact.
pub(super) fn others_of_ada() -> Vec<Person> {
    vec![
        Person {
            emails: vec![("augustus@london.example", "")],
            ..other(11, "Augustus", "De Morgan", "2026-01-05T10:00:00Z")
        },
        Person {
            emails: vec![("grace@example.com", "")],
            ..other(12, "Grace", "Hopper", "2026-02-06T10:00:00Z")
        },
        Person {
            emails: vec![("orders@print.example", "")],
            ..other(13, "", "", "2026-03-07T10:00:00Z")
        },
    ]
}

/// Grace's contacts.
pub(super) fn of_grace() -> Vec<Person> {
    vec![
        Person {
            emails: vec![("ada@example.com", "home")],
            ..contact(21, "Ada", "Lovelace", "2025-12-10T10:00:00Z")
        },
        Person {
            emails: vec![("howard@navy.example", "work")],
            ..contact(22, "Howard", "Aiken", "2026-01-11T10:00:00Z")
        },
    ]
}

/// People whom Grace wrote to.
pub(super) fn others_of_grace() -> Vec<Person> {
    vec![Person {
        emails: vec![("betty@univac.example", "")],
        ..other(31, "Betty", "Holberton", "2026-02-12T10:00:00Z")
    }]
}

fn contact(
    number: u64,
    given: &'static str,
    family: &'static str,
    modified: &'static str,
) -> Person {
    Person {
        resource_name: format!("people/c{}", long(number)),
        given,
        family,
        modified,
        ..Person::default()
    }
}

fn other(number: u64, given: &'static str, family: &'static str, modified: &'static str) -> Person {
    Person {
        resource_name: format!("otherContacts/c{}", long(number)),
        given,
        family,
        modified,
        ..Person::default()
    }
}

/// Numbers of the length that Google's have.
fn long(number: u64) -> u64 {
    4_100_000_000_000_000_000 + number * 7_919_000_000_007
}
