//! The histories over a store in memory.

use super::*;
use crate::{state::AccountState, store::MemoryStore};

fn in_memory(runtime: Arc<dyn Runtime>) -> Open {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(runtime));
    Box::new(move || Arc::clone(&store))
}

/// 32 histories; `PROPTEST_CASES` asks for eight times as many as are played.
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
fn no_history_of_a_stable_grant_loses_an_account() {
    histories(Class::Stable);
}

#[test]
fn no_history_of_a_rotating_grant_loses_an_account_without_a_reason() {
    let reached = histories(Class::Rotating);
    assert!(reached.lost > reached.histories / 5, "{reached}");
}

#[test]
fn no_history_of_a_grant_whose_spent_tokens_serve_for_a_while_loses_an_account_without_a_reason() {
    let reached = histories(Class::Grace);
    assert!(
        reached.second_presentations > reached.histories / 20,
        "{reached}"
    );
}

#[test]
fn no_history_of_a_strict_grant_uses_a_refresh_token_twice_without_a_reason() {
    let reached = histories(Class::Strict);
    assert!(reached.lost > reached.histories / 5, "{reached}");
}

/// Short histories that random ones seldom reach.
#[test]
fn an_account_has_one_grant_at_a_time() {
    let second = Duration::from_secs(1);
    let under_way = Duration::from_millis(200);
    let histories: [&[Scene]; 5] = [
        // Two links are opened, and both are confirmed.
        &[
            (
                vec![Act::Authorize(0, false), Act::Authorize(1, false)],
                second,
            ),
            (vec![Act::Verify(0), Act::Verify(1)], second),
        ],
        // The credential in use is refreshed twice while another waits.
        &[
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Refresh(0)], second),
            (vec![Act::Refresh(1)], second),
            (vec![Act::Verify(0)], second),
            (vec![Act::Refresh(0)], second),
            (vec![Act::Refresh(1)], second),
        ],
        // The response to a refresh comes after another grant has taken the place.
        &[
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Refresh(0)], under_way),
            (vec![Act::Verify(1)], second),
            (vec![Act::Refresh(0)], second),
        ],
        // What waited at a disconnect is confirmed after the account was revived.
        &[
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Disconnect(1, false)], second),
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Verify(0)], second),
            (vec![Act::Verify(0)], second),
        ],
        // The response to a refresh comes after a disconnect and a new link.
        &[
            (vec![Act::Refresh(0)], under_way),
            (vec![Act::Disconnect(1, true)], Duration::from_millis(20)),
            (vec![Act::Authorize(1, false)], second),
            (vec![Act::Verify(0)], second),
        ],
    ];
    for class in [Class::Stable, Class::Rotating, Class::Grace, Class::Strict] {
        for (history, seed) in histories
            .into_iter()
            .flat_map(|history| (0..8).map(move |seed| (history, seed)))
        {
            let mut played = History::new(class, seed, Default::default(), &in_memory);
            history.iter().for_each(|scene| played.play(scene));
            played.end();
            assert_eq!(played.row().state, AccountState::Active, "{history:?}");
        }
    }
}
