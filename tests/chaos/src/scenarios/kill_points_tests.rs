//! Every change that core names is one at which the process ends.

use std::{collections::BTreeSet, fs, path::Path};

use super::*;
use crate::books::Class;

/// Changes at which nothing ends here, with the reason.
const ELSEWHERE: [(&str, &str); 9] = [
    (
        "authorization.unopened",
        "links that no one has opened: the next round of maintenance ends them again",
    ),
    ("connection.ended_epoch", "the scenario connection-change"),
    ("connection.change", "the scenario connection-change"),
    ("connection.reauthorize", "the scenario connection-change"),
    (
        "credential.create",
        "a command of the binary, which prints what it has committed",
    ),
    (
        "outbox.add",
        "tokens that arrive after a disconnection: a race that nothing here can begin",
    ),
    (
        "refresh.release",
        "a lease that would not last for a request: nothing here is so slow",
    ),
    (
        "refresh.shred",
        "what was replaced; where it fails, the next refresh does it",
    ),
    (
        "refresh.adopt",
        "tokens that were stored after a lease was lost: the scenario sigstop",
    ),
];

/// Names that stand as the first argument of a change, of an addition or of a batch, in the sources of core.
fn names(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if file != "testing" && file != "model" {
                names(&path, found);
            }
            continue;
        }
        if file.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (position, _) in code.match_indices('"') {
            let before = code[..position].trim_end();
            let Some(before) = before.strip_suffix('(') else {
                continue;
            };
            let function = before
                .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            let function = function.unwrap();
            if !function.starts_with("change") && !["add", "named"].contains(&function) {
                continue;
            }
            let name = code[position + 1..].split('"').next().unwrap();
            found.insert(name.to_owned());
        }
    }
}

#[test]
fn the_process_ends_at_every_change_that_core_names() {
    let mut named = BTreeSet::new();
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/core/src");
    names(&core, &mut named);
    assert!(named.len() > 15, "{named:?}");
    let mut tried: BTreeSet<String> = PLACES
        .iter()
        .filter_map(|(_, place, _)| place.split_once(':'))
        .map(|(name, _)| name.to_owned())
        .filter(|name| !name.starts_with("token.s") && !name.starts_with("token.r"))
        .collect();
    for (name, _) in ELSEWHERE {
        assert!(
            tried.insert(name.to_owned()),
            "{name} is tried, and excused as well"
        );
    }
    assert_eq!(tried, named);
}

#[test]
fn a_refresh_is_tried_with_every_class() {
    for smoke in [true, false] {
        let found: BTreeSet<Class> = classes(Refresh, smoke)
            .iter()
            .map(|connection| connection.class)
            .collect();
        assert_eq!(found.len(), Class::ALL.len());
    }
}
