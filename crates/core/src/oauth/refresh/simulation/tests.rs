//! The histories over a store in memory.

use super::*;
use crate::store::MemoryStore;

pub(super) fn in_memory(runtime: Arc<dyn Runtime>) -> Open {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(runtime));
    Box::new(move || Arc::clone(&store))
}

/// Plays 32 histories by default, an eighth of `PROPTEST_CASES`.
fn histories(class: Class) -> Reached {
    let reached = play(class, cases() / 8, in_memory);
    println!("{class:?}: {reached}");
    let enough = [
        reached.refreshes,
        reached.refusals,
        reached.disconnects,
        reached.transitions / 10,
    ];
    let least = reached.histories / 4;
    assert!(enough.iter().all(|count| *count > least), "{reached}");
    assert!(reached.situations > 20, "{reached}");
    reached
}

#[test]
fn a_stable_grant_never_loses_an_account() {
    histories(Class::Stable);
}

#[test]
fn a_rotating_grant_loses_an_account_only_with_a_reason() {
    let reached = histories(Class::Rotating);
    assert!(reached.lost > reached.histories / 5, "{reached}");
}

#[test]
fn a_grant_with_a_grace_period_loses_an_account_only_with_a_reason() {
    let reached = histories(Class::Grace);
    assert!(
        reached.second_presentations > reached.histories / 20,
        "{reached}"
    );
}

#[test]
fn a_strict_grant_reuses_a_refresh_token_only_with_a_reason() {
    let reached = histories(Class::Strict);
    assert!(reached.lost > reached.histories / 5, "{reached}");
}
