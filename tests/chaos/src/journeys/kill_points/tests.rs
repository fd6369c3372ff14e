//! Checks that the journey aborts at every change that core names.

use std::{collections::BTreeSet, fs, path::Path};

use super::*;
use crate::books::Class;

/// The changes that this journey skips, each list with the reason.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "expires unopened links; the next round of maintenance does it again",
        "authorization.unopened",
    ),
    (
        "the scenario connection-change",
        "connection.ended_epoch connection.change connection.reauthorize",
    ),
    (
        "a command of the binary, which prints the result after the commit",
        "credential.create",
    ),
    (
        "releases a lease that is too short for a request; nothing here is that slow",
        "refresh.release",
    ),
    (
        "removes replaced tokens; if it fails, the next refresh does it",
        "refresh.shred",
    ),
    (
        "tokens that were stored after a lease was lost: the scenario sigstop",
        "refresh.adopt",
    ),
    (
        "a single change; a caller who gets no response sends it again",
        "policy.set public_url.keep policy.delete approval.request approval.decide account_token.create \
         account_token.delete mcp_session.create mcp_session.delete call.audit credential.change \
         credential.revoke credential.revoke_secret credential.rotate member.accept member.change \
         member.confirm_second_factor member.create member.delete member.enrol member.invite \
         member.remove_second_factor member.reset member.set_password session.close session.confirm \
         session.open session.step_up session.use webhook.change webhook.create webhook.delete webhook.replay \
         webhook.replay_since webhook.rotate_secret webhook.test keys.activate keys.authenticated \
         keys.upgraded keys.add keys.retire keys.rewrap",
    ),
    (
        "one row before the approved request; if it stops there, nothing was sent, and a new approval is needed",
        "approval.use",
    ),
    (
        "expires approvals; the next round of maintenance does it again",
        "approval.expire",
    ),
    (
        "adds missing MACs; the next round of maintenance does it again",
        "keys.authenticate",
    ),
    (
        "when a credential was last used; the next use writes it",
        "credential.used",
    ),
    (
        "what a process could not decrypt; it reports that again",
        "keys.unopened",
    ),
    (
        "core's own tests stop there",
        "keys.reencrypt keys.reencrypted erasure.calls erasure.events erasure.passed",
    ),
    ("a lease of the job, which expires", "keys.reencrypt_claim"),
    (
        "returns the lease, which would expire anyway",
        "keys.reencrypt_stop",
    ),
    ("a slice of a quota, which expires", "quota.claim"),
    (
        "the account of one line; sending the line again changes nothing",
        "account.import",
    ),
    (
        "an audit entry before the first token is read, and one at the end",
        "accounts.export",
    ),
    ("the scenario idempotency", "idempotency.start"),
    (
        "a lease of a delivery queue, which expires",
        "webhook.claim",
    ),
    (
        "returns the lease of a delivery queue, which would expire anyway",
        "webhook.give_back",
    ),
    (
        "a delivery that wasn't recorded is sent again, because delivery is at least once",
        "webhook.deliver",
    ),
];

/// Collects the names of changes, additions and batches from core's sources: each is the first argument of a call.
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
            // A pointer into a body isn't a name.
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
    let mut tried: BTreeSet<String> = places()
        .filter_map(|(_, place)| Some(place.split_once(':')?.0.to_owned()))
        .filter(|name| !["token.send", "token.read", "spool.put"].contains(&name.as_str()))
        .collect();
    for name in ELSEWHERE
        .iter()
        .flat_map(|(_, names)| names.split_whitespace())
    {
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
