//! Every change that core names is one at which the process ends.

use std::{collections::BTreeSet, fs, path::Path};

use super::*;
use crate::books::Class;

const ONE_ROW: &str = "one change, which is asked for again by whoever saw no response";
const CUT_OFF_IN_CORE: &str = "cut off there by tests of core";

/// Changes at which nothing ends here, with the reason.
const ELSEWHERE: &[(&str, &str)] = &[
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
    ("policy.set", ONE_ROW),
    ("public_url.keep", ONE_ROW),
    ("policy.delete", ONE_ROW),
    ("approval.request", ONE_ROW),
    ("approval.decide", ONE_ROW),
    (
        "approval.use",
        "one row before the request that it lets pass: cut off there, nothing was sent, and another one is asked for",
    ),
    (
        "approval.expire",
        "approvals past their time: the next round of maintenance ends them again",
    ),
    ("account_token.create", ONE_ROW),
    ("account_token.delete", ONE_ROW),
    ("mcp_session.create", ONE_ROW),
    ("mcp_session.delete", ONE_ROW),
    ("call.audit", ONE_ROW),
    ("credential.change", ONE_ROW),
    ("credential.revoke", ONE_ROW),
    ("credential.revoke_secret", ONE_ROW),
    ("credential.rotate", ONE_ROW),
    ("member.accept", ONE_ROW),
    ("member.change", ONE_ROW),
    ("member.confirm_second_factor", ONE_ROW),
    ("member.create", ONE_ROW),
    ("member.delete", ONE_ROW),
    ("member.enrol", ONE_ROW),
    ("member.invite", ONE_ROW),
    ("member.remove_second_factor", ONE_ROW),
    ("member.reset", ONE_ROW),
    ("member.set_password", ONE_ROW),
    ("session.close", ONE_ROW),
    ("session.confirm", ONE_ROW),
    ("session.open", ONE_ROW),
    ("session.step_up", ONE_ROW),
    ("session.use", ONE_ROW),
    ("webhook.change", ONE_ROW),
    ("webhook.create", ONE_ROW),
    ("webhook.delete", ONE_ROW),
    ("webhook.replay", ONE_ROW),
    ("webhook.replay_since", ONE_ROW),
    ("webhook.rotate_secret", ONE_ROW),
    ("webhook.test", ONE_ROW),
    ("keys.activate", ONE_ROW),
    (
        "keys.authenticate",
        "rows without a MAC: the next round gives them theirs",
    ),
    ("keys.authenticated", ONE_ROW),
    ("keys.upgraded", ONE_ROW),
    ("keys.add", ONE_ROW),
    ("keys.retire", ONE_ROW),
    ("keys.rewrap", ONE_ROW),
    (
        "credential.used",
        "when a credential was last used: the next use writes it",
    ),
    (
        "keys.unopened",
        "what a process could not open: it says so again",
    ),
    ("keys.reencrypt", CUT_OFF_IN_CORE),
    ("keys.reencrypted", CUT_OFF_IN_CORE),
    ("keys.reencrypt_start", CUT_OFF_IN_CORE),
    (
        "keys.reencrypt_claim",
        "a lease of the job, which ends by itself",
    ),
    (
        "keys.reencrypt_stop",
        "gives the lease back, which ends by itself",
    ),
    ("quota.claim", "a slice of a quota, which ends by itself"),
    (
        "account.import",
        "an account of a line, which changes nothing where the line comes again",
    ),
    (
        "accounts.export",
        "an entry of the audit log before the first token is read, and one at the end",
    ),
    ("erasure.calls", CUT_OFF_IN_CORE),
    ("erasure.events", CUT_OFF_IN_CORE),
    ("erasure.passed", CUT_OFF_IN_CORE),
    ("idempotency.start", "the scenario idempotency"),
    ("webhook.claim", "a lease of a lane, which ends by itself"),
    (
        "webhook.give_back",
        "gives the lease of a lane back, which ends by itself",
    ),
    (
        "webhook.deliver",
        "what was sent and not noted is sent again: at least once is what is promised",
    ),
];

/// Names that stand as the first argument of a change, of an addition or of a batch, in the sources of core.
fn names(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["testing", "model", "tests"].contains(&file.as_str()) {
                names(&path, found);
            }
            continue;
        }
        if file.ends_with("tests.rs") || !file.ends_with(".rs") {
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
            let is_change = function == "change" || function.starts_with("change_");
            if !is_change && !["add", "named"].contains(&function) {
                continue;
            }
            let name = code[position + 1..].split('"').next().unwrap();
            // The place of a fault in a body.
            if !name.starts_with('/') {
                found.insert(name.to_owned());
            }
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
        .filter(|name| !["token.send", "token.read", "spool.put"].contains(&name.as_str()))
        .collect();
    for (name, _) in ELSEWHERE {
        assert!(
            tried.insert((*name).to_owned()),
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
