//! The seeded files. Ada's names are such as break a careless query.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::file::{DOCUMENT, FOLDER, File, SHEET, SHORTCUT, SharedDrive, XLSX};

const ADA: &str = "ada@example.com";
const GRACE: &str = "grace@example.com";
/// The shared drive of both.
const OBSERVATORY: &str = "0AObservatoryPVA";

/// The seeded shared drives.
pub(super) fn drives() -> Vec<SharedDrive> {
    vec![SharedDrive {
        id: OBSERVATORY.to_owned(),
        members: vec![ADA, GRACE],
    }]
}

/// The id that a seeded file has by its label.
pub(super) fn id(label: &str) -> String {
    let digest = Sha256::digest(format!("stead-sandbox file {label}").as_bytes());
    format!("1{}", &URL_SAFE_NO_PAD.encode(digest)[..32])
}

/// The seeded files.
pub(super) fn files() -> Vec<File> {
    let mut files = vec![root("0AAdaRootPVA", ADA), root("0AGraceRootPVA", GRACE)];
    files.push(File {
        id: OBSERVATORY.to_owned(),
        name: "Drive".to_owned(),
        is_root: true,
        owner: None,
        drive: Some(OBSERVATORY.to_owned()),
        ..file("observatory", "Drive", FOLDER, "2026-01-02T08:00:00Z")
    });
    files.extend(of_ada());
    files.extend(of_grace());
    files.extend(of_observatory());
    files
}

fn of_ada() -> Vec<File> {
    let folder = id("ada/engine");
    vec![
        file("ada/engine", "Engine", FOLDER, "2026-02-03T10:00:00Z"),
        File {
            parents: vec![folder.clone()],
            description: Some("Notes on the loom".to_owned()),
            text: "The engine weaves algebraical patterns just as the loom weaves flowers and leaves."
                .to_owned(),
            ..file("ada/patterns", "Algebraical patterns", DOCUMENT, "2026-04-11T09:30:00Z")
        },
        File {
            parents: vec![folder.clone()],
            text: "Table of the Bernoulli numbers, computed by the engine. The engine's cards are listed behind it."
                .to_owned(),
            ..file("ada/note-g", "Note G.pdf", "application/pdf", "2026-04-20T16:00:00Z")
        },
        File {
            parents: vec![folder],
            starred: true,
            text: "\u{89}PNG a card".to_owned(),
            ..file("ada/card", "card 12.png", "image/png", "2026-03-01T12:00:00Z")
        },
        File {
            writers: vec![GRACE.to_owned()],
            text: "Budget cards oil travel".to_owned(),
            ..file("ada/budget", "Budget 2026", SHEET, "2026-05-02T07:45:00Z")
        },
        File {
            text: "PK binary".to_owned(),
            ..file("ada/expenses", "Expenses.xlsx", XLSX, "2026-03-15T08:00:00Z")
        },
        File {
            text: "An essay on flying machines.".to_owned(),
            ..file("ada/essay", "quinn's paper\\essay.txt", "text/plain", "2026-01-20T08:00:00Z")
        },
        File {
            text: "This name is no query.".to_owned(),
            ..file("ada/name", "trashed = true.txt", "text/plain", "2026-01-21T08:00:00Z")
        },
        File {
            text: "HelloWorld said the card reader.".to_owned(),
            ..file("ada/hello", "HelloWorld.txt", "text/plain", "2026-01-22T08:00:00Z")
        },
        File {
            trashed: true,
            text: "The old budget.".to_owned(),
            ..file("ada/old", "Old budget.txt", "text/plain", "2025-12-31T23:00:00Z")
        },
        File {
            target: Some(id("ada/budget")),
            ..file("ada/shortcut", "Budget", SHORTCUT, "2026-05-02T08:00:00Z")
        },
    ]
}

fn of_grace() -> Vec<File> {
    let grace = |file: File| File {
        owner: Some(GRACE.to_owned()),
        modified_by: GRACE.to_owned(),
        parents: vec!["0AGraceRootPVA".to_owned()],
        ..file
    };
    vec![
        grace(File {
            readers: vec![ADA.to_owned()],
            text: "Relay 70 of panel F held a moth.".to_owned(),
            ..file("grace/moth", "Moth log", DOCUMENT, "2026-05-03T18:00:00Z")
        }),
        grace(File {
            readers: vec![ADA.to_owned()],
            text: "Guests and seats".to_owned(),
            ..file("grace/guests", "Guest list", SHEET, "2026-04-28T12:00:00Z")
        }),
        grace(File {
            text: "The compiler needs a budget of its own.".to_owned(),
            ..file(
                "grace/compiler",
                "Compiler notes.txt",
                "text/plain",
                "2026-04-30T12:00:00Z",
            )
        }),
    ]
}

fn of_observatory() -> Vec<File> {
    let shared = |file: File| File {
        owner: None,
        drive: Some(OBSERVATORY.to_owned()),
        parents: vec![OBSERVATORY.to_owned()],
        modified_by: GRACE.to_owned(),
        ..file
    };
    vec![
        shared(File {
            text: "Chart of the northern sky, with a budget for a new lens.".to_owned(),
            ..file(
                "shared/chart",
                "Star chart.pdf",
                "application/pdf",
                "2026-04-25T21:00:00Z",
            )
        }),
        shared(File {
            text: "Stars and magnitudes".to_owned(),
            ..file(
                "shared/observations",
                "Observations",
                SHEET,
                "2026-05-01T22:10:00Z",
            )
        }),
    ]
}

fn root(id: &str, owner: &str) -> File {
    File {
        id: id.to_owned(),
        parents: Vec::new(),
        owner: Some(owner.to_owned()),
        modified_by: owner.to_owned(),
        is_root: true,
        ..file(id, "My Drive", FOLDER, "2025-11-01T08:00:00Z")
    }
}

/// A file of Ada's at the top of her My Drive, made a day before it was changed.
fn file(label: &str, name: &str, mime_type: &str, modified: &str) -> File {
    let modified: Timestamp = modified.parse().unwrap_or_default();
    let created = modified - jiff::SignedDuration::from_hours(24);
    File {
        id: id(label),
        name: name.to_owned(),
        mime_type: mime_type.to_owned(),
        description: None,
        parents: vec!["0AAdaRootPVA".to_owned()],
        owner: Some(ADA.to_owned()),
        drive: None,
        writers: Vec::new(),
        readers: Vec::new(),
        created,
        modified,
        modified_by: ADA.to_owned(),
        version: 1,
        trashed: false,
        starred: false,
        is_root: false,
        target: None,
        text: String::new(),
        made_by_application: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_every_parent_exists() {
        let files = files();
        let ids: BTreeSet<&str> = files.iter().map(|file| file.id.as_str()).collect();
        assert_eq!(ids.len(), files.len());
        for file in &files {
            for parent in &file.parents {
                assert!(ids.contains(parent.as_str()), "{}", file.name);
            }
            assert_ne!(file.modified, Timestamp::UNIX_EPOCH, "{}", file.name);
        }
    }
}
