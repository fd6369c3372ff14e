//! Who gets the lease of a refresh, and when the next refresh may be tried.

use super::*;
use crate::{
    store::Versioned,
    testing::{self, START},
};

const OTHER: Uuid = Uuid::from_u128(1);
const US: Uuid = Uuid::from_u128(2);

/// An account of generation 3, read at the start of time.
fn account(lease: Option<Lease>) -> Versioned<Account> {
    let row = Account {
        generation: 3,
        last_generation: 3,
        lease,
        ..testing::account(1, "ada")
    };
    Versioned {
        row,
        version: 9,
        read_at: START,
    }
}

fn lease(seconds: i64, generation: u64) -> Option<Lease> {
    let until = START + SignedDuration::from_secs(seconds);
    Some(Lease {
        owner: OTHER,
        until,
        generation,
    })
}

#[test]
fn a_lease_is_free_once_it_is_over_or_of_an_older_generation() {
    // Lease, and whether it is taken, or else taken over from a refresh that did not finish.
    let table = [
        (None, Some(false)),
        (lease(1, 3), None),
        (lease(60, 3), None),
        (lease(0, 3), Some(true)),
        (lease(-1, 3), Some(true)),
        (lease(60, 2), Some(false)),
        (lease(-1, 2), Some(false)),
    ];
    for (held, expected) in table {
        let account = account(held.clone());
        match (account.row.claim(account.read_at, US), expected) {
            (Claim::Taken, None) => {}
            (
                Claim::Ours {
                    account: row,
                    recovering,
                },
                Some(expected),
            ) => {
                assert_eq!(recovering, expected, "{held:?}");
                let ours = Lease {
                    owner: US,
                    until: START + LEASE,
                    generation: 3,
                };
                assert_eq!(
                    *row,
                    Account {
                        lease: Some(ours),
                        ..account.row
                    }
                );
            }
            (Claim::Taken, Some(_)) => panic!("taken: {held:?}"),
            (Claim::Ours { .. }, None) => panic!("ours: {held:?}"),
        }
    }
}

#[test]
fn a_lease_goes_by_the_time_of_the_store() {
    let mut later = account(lease(60, 3));
    later.read_at = START + SignedDuration::from_secs(60);
    assert!(matches!(
        later.row.claim(later.read_at, US),
        Claim::Ours {
            recovering: true,
            ..
        }
    ));
    later.read_at = Timestamp::MAX;
    assert!(
        matches!(later.row.claim(later.read_at, US), Claim::Ours { account: row, .. } if row.lease.as_ref().unwrap().until == Timestamp::MAX)
    );
}

#[test]
fn pauses_after_failures_grow_from_two_seconds_to_fifteen_minutes() {
    let pauses = [0, 1, 2, 3, 8, 9, 10, 11, 1000, u32::MAX].map(|refresh_failures| {
        let row = Account {
            refresh_failures,
            ..account(None).row
        };
        row.next_refresh()
            .map(|at| at.duration_since(START).as_secs())
    });
    let expected = [
        None,
        Some(2),
        Some(4),
        Some(8),
        Some(256),
        Some(512),
        Some(900),
        Some(900),
        Some(900),
        Some(900),
    ];
    assert_eq!(pauses, expected);
}

#[test]
fn the_next_try_is_as_soon_as_its_pause_is_over() {
    let row = Account {
        refresh_failures: 1,
        ..account(None).row
    };
    for (milliseconds, may) in [(0, false), (1999, false), (2000, true), (9000, true)] {
        assert_eq!(
            row.may_refresh(START + SignedDuration::from_millis(milliseconds)),
            may,
            "{milliseconds}"
        );
    }
    assert!(account(None).row.may_refresh(START));
}
