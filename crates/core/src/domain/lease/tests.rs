//! Claims of a refresh lease: who gets it, and how long others wait.

use super::*;
use crate::{
    domain::refresh::RefreshState,
    testing::{self, START},
};

const OTHER: Uuid = Uuid::from_u128(1);
const US: Uuid = Uuid::from_u128(2);
const PROCESS: Uuid = Uuid::from_u128(3);

fn at(seconds: i64) -> Timestamp {
    START + SignedDuration::from_secs(seconds)
}

/// An account of generation 3 whose access token expired at the start of time.
fn account(lease: Option<Lease>) -> Account {
    Account {
        generation: 3,
        last_generation: 3,
        token_expires_at: Some(START),
        lease,
        ..testing::account(1, "ada")
    }
}

/// Another refresh's lease, which expires this number of seconds after the start of time.
fn lease(seconds: i64, generation: u64) -> Option<Lease> {
    Some(Lease {
        owner: OTHER,
        process: None,
        until: at(seconds),
        generation,
    })
}

fn claimant(rotation: Rotation) -> Claimant<'static> {
    Claimant {
        read_at: START,
        owner: US,
        process: Some(PROCESS),
        reason: RefreshReason::Due,
        rotation,
        client: "client",
        holder_ended: false,
    }
}

/// Whether a claim succeeded, and whether it takes over from a refresh that didn't finish.
fn ours(claim: &Claim) -> Option<bool> {
    match claim {
        Claim::Ours { recovering, .. } => Some(*recovering),
        _ => None,
    }
}

#[test]
fn a_lease_is_free_once_it_is_over_or_of_an_older_generation() {
    let table = [
        (None, Some(false)),
        (lease(1, 3), None),
        (lease(90, 3), None),
        (lease(0, 3), Some(true)),
        (lease(-1, 3), Some(true)),
        (lease(60, 2), Some(false)),
        (lease(-1, 2), Some(false)),
    ];
    for (held, expected) in table {
        let row = account(held.clone());
        let claim = row.claim(&claimant(Rotation::Stable));
        assert_eq!(ours(&claim), expected, "{held:?}");
        match claim {
            Claim::Taken => {}
            Claim::Ours {
                account: claimed,
                recovering,
            } => {
                let ours = Lease {
                    owner: US,
                    process: Some(PROCESS),
                    until: at(90),
                    generation: 3,
                };
                let refresh = RefreshState {
                    refresh_unanswered: recovering,
                    ..RefreshState::default()
                };
                let expected = Account {
                    lease: Some(ours),
                    refresh,
                    ..row
                };
                assert_eq!(*claimed, expected);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_lease_holds_a_late_request_and_the_commit_after_it() {
    let lease = Duration::try_from(LEASE).unwrap();
    for (milliseconds, may) in [(0, true), (54_999, true), (55_000, false), (600_000, false)] {
        let elapsed = Duration::from_millis(milliseconds);
        assert_eq!(may_send(elapsed), may, "{milliseconds}");
        assert!(!may || elapsed + REQUEST + Duration::from_secs(10) < lease);
    }
}

#[test]
fn a_lease_uses_the_stores_time() {
    let row = account(lease(60, 3));
    let claim = |read_at| {
        row.claim(&Claimant {
            read_at,
            ..claimant(Rotation::Stable)
        })
    };
    assert_eq!(ours(&claim(at(60))), Some(true));
    let Claim::Ours { account, .. } = claim(Timestamp::MAX) else {
        panic!("not ours")
    };
    assert_eq!(account.lease.unwrap().until, Timestamp::MAX);
}

#[test]
fn a_lease_that_is_too_long_is_shortened_to_a_new_one() {
    let hour = account(lease(3600, 3));
    let Claim::Shortened(shortened) = hour.claim(&claimant(Rotation::Strict)) else {
        panic!("the store's clock was set back an hour: the account would be out for an hour")
    };
    let expected = Account {
        lease: lease(90, 3),
        ..hour.clone()
    };
    assert_eq!(*shortened, expected, "it is still another's");
    let claim = shortened.claim(&Claimant {
        read_at: at(90 + 30),
        ..claimant(Rotation::Strict)
    });
    assert_eq!(ours(&claim), Some(true));
    let ended = Claimant {
        holder_ended: true,
        ..claimant(Rotation::Strict)
    };
    assert_eq!(ours(&hour.claim(&ended)), Some(true));
}

#[test]
fn a_recovering_refresh_waits_for_the_previous_holder() {
    let serves_until = |seconds| Account {
        token_expires_at: seconds,
        ..account(lease(0, 3))
    };
    let ended = serves_until(Some(at(-1)));
    let serves = serves_until(Some(at(50)));
    let never_ends = serves_until(None);
    use RefreshReason::{Asked, Due, Early, Refused};
    // Account, reason, time, and the time until which the refresh waits.
    let table = [
        (&ended, Due, 0, Some(at(30))),
        (&ended, Due, 29, Some(at(30))),
        (&ended, Due, 30, None),
        (&serves, Due, 0, Some(at(50))),
        (&serves, Asked, 49, Some(at(50))),
        (&serves, Early, 50, None),
        (&serves, Refused, 0, Some(at(30))),
        (&serves, Refused, 30, None),
        (&never_ends, Asked, 90_000, Some(Timestamp::MAX)),
        (&never_ends, Refused, 30, None),
    ];
    for (row, reason, seconds, expected) in table {
        for rotation in [Rotation::Rotating, Rotation::Strict] {
            let claim = row.claim(&Claimant {
                read_at: at(seconds),
                reason,
                ..claimant(rotation)
            });
            match expected {
                Some(until) => assert_eq!(claim, Claim::HoldBack(until), "{reason:?} {seconds}"),
                None => assert_eq!(ours(&claim), Some(true), "{reason:?} {seconds}"),
            }
        }
        let stable = row.claim(&Claimant {
            read_at: at(seconds),
            reason,
            ..claimant(Rotation::Stable)
        });
        assert_eq!(ours(&stable), Some(true), "its token stays");
    }
}

#[test]
fn a_lease_of_a_dead_process_is_free_immediately() {
    for seconds in [-1, 0, 30, 90, 3600] {
        let row = Account {
            token_expires_at: Some(at(50)),
            ..account(lease(seconds, 3))
        };
        let claim = row.claim(&Claimant {
            holder_ended: true,
            ..claimant(Rotation::Strict)
        });
        assert_eq!(ours(&claim), Some(true), "{seconds}");
    }
}

#[test]
fn a_repeated_claim_is_ours() {
    let row = account(Some(Lease {
        owner: US,
        ..lease(80, 3).unwrap()
    }));
    assert_eq!(ours(&row.claim(&claimant(Rotation::Strict))), Some(false));
}

#[test]
fn a_request_without_a_response_is_remembered_until_a_refresh_succeeds() {
    let row = account(lease(-60, 3));
    let Claim::Ours { account, .. } = row.claim(&claimant(Rotation::Strict)) else {
        panic!("not ours")
    };
    // The lease is given back without a request. The next claim still counts the earlier request.
    let given_back = Account {
        lease: None,
        ..*account
    };
    assert_eq!(
        ours(&given_back.claim(&claimant(Rotation::Strict))),
        Some(true)
    );
}

#[test]
fn after_failures_a_refresh_waits_unless_the_client_is_another() {
    let mut row = account(None);
    row.refresh.refresh_failed_at = Some(START);
    row.refresh.refresh_after = Some(at(900));
    row.refresh.refresh_client = Some(String::from("client"));
    use RefreshReason::{Asked, Due, Early, Refused};
    let claim = |reason, client, seconds| {
        row.claim(&Claimant {
            read_at: at(seconds),
            reason,
            client,
            ..claimant(Rotation::Stable)
        })
    };
    for reason in [Early, Due, Refused] {
        assert_eq!(claim(reason, "client", 899), Claim::BackOff(at(900)));
        assert_eq!(ours(&claim(reason, "client", 900)), Some(false));
        assert_eq!(ours(&claim(reason, "other", 1)), Some(false));
        assert_eq!(ours(&claim(reason, "client", -1)), Some(false), "set back");
    }
    assert_eq!(ours(&claim(Asked, "client", 1)), Some(false));
}

#[test]
fn a_new_token_is_not_replaced_because_it_is_refused() {
    let mut row = account(None);
    row.refresh.token_sent_at = Some(START);
    row.refresh.token_refusals = 1;
    let refused = |row: &Account, seconds| {
        row.claim(&Claimant {
            read_at: at(seconds),
            reason: RefreshReason::Refused,
            ..claimant(Rotation::Stable)
        })
    };
    let mut noted = row.clone();
    noted.refresh.token_refused = true;
    let young = |noted| Claim::Young {
        until: at(120),
        noted,
    };
    assert_eq!(refused(&row, 0), young(Some(Box::new(noted.clone()))));
    assert_eq!(refused(&noted, 119), young(None));
    assert_eq!(ours(&refused(&row, 120)), Some(false));
    assert_eq!(ours(&refused(&row, -1)), Some(false), "set back");
    assert_eq!(ours(&row.claim(&claimant(Rotation::Stable))), Some(false));
    let first = Account {
        refresh: RefreshState {
            token_refusals: 0,
            ..row.refresh.clone()
        },
        ..row.clone()
    };
    assert_eq!(ours(&refused(&first, 0)), Some(false), "looked into once");
    row.refresh.token_sent_at = None;
    assert_eq!(ours(&refused(&row, 1)), Some(false), "of an authorization");
}

#[test]
fn pauses_grow_to_an_hour_while_every_new_token_is_refused() {
    let mut row = account(None);
    let (mut now, mut pauses) = (0, Vec::new());
    let claim = |row: &Account, seconds| {
        row.claim(&Claimant {
            read_at: at(seconds),
            reason: RefreshReason::Refused,
            ..claimant(Rotation::Strict)
        })
    };
    for _ in 0..9 {
        row.refresh.token_sent_at = Some(at(now));
        row.refresh.token_refused = false;
        let began = now;
        row.refresh = loop {
            match claim(&row, now) {
                Claim::Young { noted, .. } => row = noted.map_or(row, |noted| *noted),
                Claim::Ours { account, .. } => break account.refresh,
                other => panic!("{other:?}"),
            }
            now += 1;
        };
        pauses.push(now - began);
    }
    assert_eq!(pauses, [0, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
    // The next token works for a while before it's rejected.
    row.refresh.token_sent_at = Some(at(now));
    row.refresh.token_refused = false;
    let Claim::Young { noted: None, .. } = claim(&row, now + 90) else {
        panic!("its refusal says nothing")
    };
    let Claim::Ours { account, .. } = claim(&row, now + 3600) else {
        panic!("not ours")
    };
    assert_eq!(account.refresh.token_refusals, 0);
}

#[test]
fn a_lease_of_an_older_stead_reads() {
    let text = r#"{"owner":"00000000-0000-0000-0000-000000000001","until":"2026-01-01T00:00:00Z","generation":3}"#;
    let read: Lease = serde_json::from_str(text).unwrap();
    assert_eq!(Some(read), lease(0, 3));
}
