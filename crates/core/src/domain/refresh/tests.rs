//! Which new tokens are kept, how rejections are handled, and how long pauses last.

use super::*;
use crate::testing::{self, START};
use Rotation::{Rotating, Stable, Strict};

const US: Uuid = Uuid::from_u128(2);
const CLASSES: [Rotation; 3] = [Stable, Rotating, Strict];

fn at(seconds: i64) -> Timestamp {
    START + SignedDuration::from_secs(seconds)
}

/// An active account of generation 3 with our lease. Its token expires in a minute.
fn account() -> Account {
    Account {
        state: AccountState::Active,
        generation: 3,
        last_generation: 4,
        token_expires_at: Some(at(60)),
        lease: Some(crate::domain::Lease {
            owner: US,
            process: None,
            until: at(90),
            generation: 3,
        }),
        ..testing::account(1, "ada")
    }
}

fn refreshed(rotation: Rotation) -> Refreshed {
    Refreshed {
        owner: US,
        grant: 0,
        claimed: 3,
        generation: 5,
        sent_at: at(10),
        token_expires_at: Some(at(3600)),
        reauthorize_by: None,
        scopes: None,
        rotation,
        rotated: false,
    }
}

fn dead(reason: AccountReason) -> Account {
    Account {
        state: AccountState::NeedsReauthorization,
        reason: Some(reason),
        health: AccountHealth::Degraded,
        lease: None,
        ..account()
    }
}

#[test]
fn tokens_of_the_current_generation_restore_a_lost_account() {
    use AccountReason::{ClientChanged, RefreshOutcomeLost, RefreshRejected, RefreshTokenMissing};
    for rotation in CLASSES {
        for reason in [RefreshRejected, RefreshOutcomeLost] {
            let (next, event) = dead(reason).with_refreshed(&refreshed(rotation));
            assert_eq!((next.state, next.reason), (AccountState::Active, None));
            assert_eq!((next.generation, event), (5, Some("account.recovered")));
            // The product may have revoked the token family, so the next rejection counts as a lost outcome.
            let doubtful = rotation == Strict;
            assert_eq!(next.health == AccountHealth::Degraded, doubtful);
            assert_eq!(next.refresh.refresh_unanswered, rotation != Stable);

            let suspended = Account {
                state: AccountState::Suspended,
                suspended_from: Some(AccountState::NeedsReauthorization),
                ..dead(reason)
            };
            let (next, _) = suspended.with_refreshed(&refreshed(rotation));
            assert_eq!(next.state, AccountState::Suspended);
            assert_eq!(next.suspended_from, Some(AccountState::Active));
        }
        for reason in [ClientChanged, RefreshTokenMissing] {
            let (next, _) = dead(reason).with_refreshed(&refreshed(rotation));
            assert_eq!(next.state, AccountState::NeedsReauthorization);
            assert_eq!(next.reason, Some(reason));
        }
    }
}

#[test]
fn a_strict_family_that_may_be_dead_ends_as_lost() {
    let (revived, _) = dead(AccountReason::RefreshRejected).with_refreshed(&refreshed(Strict));
    let after = revived.after_refusal(Refusal {
        read_at: at(4000),
        reason: RefreshReason::Due,
        rotation: Strict,
        live: &[],
        tried: &[5],
    });
    assert_eq!(after, AfterRefusal::Dies(AccountReason::RefreshOutcomeLost));
}

#[test]
fn received_tokens_are_stored_unless_their_grant_ended() {
    let newer = Account {
        generation: 4,
        ..account()
    };
    let table = [
        (account(), Keep::Current),
        (newer.clone(), Keep::Aside),
        (
            Account {
                state: AccountState::Disconnected,
                generation: 0,
                ..account()
            },
            Keep::Not,
        ),
        // The account was disconnected, and a new link was created.
        (
            Account {
                state: AccountState::PendingAuthorization,
                generation: 0,
                ..account()
            },
            Keep::Not,
        ),
        // The user has authorized again.
        (
            Account {
                refresh: RefreshState {
                    grant: 4,
                    ..RefreshState::default()
                },
                ..newer.clone()
            },
            Keep::Not,
        ),
        // The store had committed them, but its response was lost.
        (
            Account {
                refresh: RefreshState {
                    token_sent_at: Some(at(10)),
                    ..RefreshState::default()
                },
                ..newer.clone()
            },
            Keep::Already,
        ),
        // The tokens that replaced them are dead.
        (
            Account {
                state: AccountState::NeedsReauthorization,
                reason: Some(AccountReason::RefreshOutcomeLost),
                ..newer
            },
            Keep::Current,
        ),
    ];
    for (row, expected) in table {
        assert_eq!(row.keeps(&refreshed(Rotating)), expected, "{row:?}");
    }
}

#[test]
fn a_success_clears_recorded_failures() {
    let mut row = account();
    row.refresh_failures = 3;
    row.refresh = RefreshState {
        grant: 0,
        token_sent_at: Some(START),
        refresh_unanswered: true,
        refresh_refused_at: Some(START),
        refresh_failed_at: Some(START),
        refresh_after: Some(at(900)),
        refresh_client: Some(String::from("client")),
        token_refused: true,
        token_refusals: 2,
        rotates: false,
        reauthorize_by: None,
        reauthorization_announced: false,
    };
    let (next, _) = row.with_refreshed(&refreshed(Strict));
    let expected = RefreshState {
        token_sent_at: Some(at(10)),
        token_refusals: 2,
        ..RefreshState::default()
    };
    assert_eq!((next.refresh, next.refresh_failures), (expected, 0));
}

#[test]
fn a_response_with_another_refresh_token_makes_the_account_rotating() {
    let rotated = Refreshed {
        rotated: true,
        ..refreshed(Stable)
    };
    let (next, _) = account().with_refreshed(&rotated);
    assert_eq!(account().rotation(Stable), Stable);
    assert_eq!(next.rotation(Stable), Strict);
    let (next, _) = next.with_refreshed(&Refreshed {
        claimed: 5,
        generation: 6,
        ..refreshed(Stable)
    });
    assert_eq!(next.rotation(Stable), Strict, "once seen it is known");
    assert_eq!(next.rotation(Rotating), Rotating);
}

fn live(generation: u64, sent_at: Option<i64>) -> LiveGeneration {
    LiveGeneration {
        generation,
        sent_at: sent_at.map(at),
    }
}

#[test]
fn newer_tokens_are_those_requested_later() {
    let current_sent_at = |seconds: Option<i64>| {
        let mut row = account();
        row.refresh.token_sent_at = seconds.map(at);
        row
    };
    // When the current tokens were requested, the other live ones, and the generation to adopt.
    let table: [(Option<i64>, &[LiveGeneration], Option<u64>); 6] = [
        (Some(20), &[live(3, Some(20)), live(4, Some(10))], None),
        (Some(20), &[live(3, Some(20)), live(4, Some(30))], Some(4)),
        (Some(20), &[live(2, Some(30)), live(3, Some(20))], Some(2)),
        (Some(20), &[live(3, Some(20)), live(4, None)], None),
        (None, &[live(3, None), live(4, Some(10))], Some(4)),
        (None, &[live(3, None), live(4, None)], None),
    ];
    for (current, live, expected) in table {
        let row = current_sent_at(current);
        assert_eq!(row.adoptable(Rotating, live), expected, "{live:?}");
        assert_eq!(row.adoptable(Strict, live), expected, "{live:?}");
        assert_eq!(row.adoptable(Stable, live), None, "the present one is good");
    }
}

#[test]
fn a_refusal_tries_every_live_generation_once_and_the_newest_first() {
    let live = [
        live(2, None),
        live(3, Some(0)),
        live(4, Some(9)),
        live(1, Some(5)),
    ];
    for rotation in CLASSES {
        let mut tried = vec![3];
        let mut order = Vec::new();
        let last = loop {
            let after = account().after_refusal(Refusal {
                read_at: at(70),
                reason: RefreshReason::Due,
                rotation,
                live: &live,
                tried: &tried,
            });
            match after {
                AfterRefusal::Present(next) => {
                    tried.push(next);
                    order.push(next);
                }
                last => break last,
            }
        };
        assert_eq!(order, [4, 1, 2]);
        assert_ne!(last, AfterRefusal::Present(3));
    }
}

#[test]
fn a_stable_account_ends_with_the_second_refusal_ten_seconds_after_the_first() {
    use RefreshReason::{Asked, Due, Early, Refused};
    let noted = |since, pause| AfterRefusal::Noted {
        since: at(since),
        pause: SignedDuration::from_secs(pause),
    };
    let dies = AfterRefusal::Dies(AccountReason::RefreshRejected);
    // Time of the first rejection, reason, current time, and the outcome. The token is valid until 60.
    let table = [
        (None, Due, 70, noted(70, 10)),
        // The product's API has rejected the access token as well.
        (None, Refused, 5, dies),
        (Some(70), Due, 79, noted(70, 1)),
        (Some(70), Due, 80, dies),
        (Some(0), Refused, 1, dies),
        (Some(0), Due, 50, dies),
        (None, Asked, 20, noted(20, 10)),
        (Some(-90), Early, 0, noted(-90, 60)),
        (Some(0), Early, 50, noted(0, 10)),
        (Some(0), Asked, 59, noted(0, 1)),
        (Some(0), Asked, 60, dies),
        // The store's clock was set back.
        (Some(100), Due, 70, noted(70, 10)),
    ];
    for (since, reason, moment, expected) in table {
        let mut row = account();
        row.refresh.refresh_refused_at = since.map(at);
        let after = row.after_refusal(Refusal {
            read_at: at(moment),
            reason,
            rotation: Stable,
            live: &[],
            tried: &[3],
        });
        assert_eq!(after, expected, "{since:?} {reason:?} {moment}");
    }
}

#[test]
fn a_rotating_account_ends_with_the_first_refusal_and_its_reason() {
    use RefreshReason::{Asked, Due, Early, Refused};
    for rotation in [Rotating, Strict] {
        for unanswered in [true, false] {
            let mut row = account();
            row.refresh.refresh_unanswered = unanswered;
            let after = |reason, seconds| {
                row.after_refusal(Refusal {
                    read_at: at(seconds),
                    reason,
                    rotation,
                    live: &[live(3, None)],
                    tried: &[3],
                })
            };
            let expected = AfterRefusal::Dies(match unanswered {
                true => AccountReason::RefreshOutcomeLost,
                false => AccountReason::RefreshRejected,
            });
            for (reason, seconds) in [(Due, 70), (Due, 5), (Refused, 5), (Asked, 60)] {
                assert_eq!(after(reason, seconds), expected);
            }
            for reason in [Asked, Early] {
                assert!(
                    matches!(after(reason, 59), AfterRefusal::Noted { .. }),
                    "nothing is lost while the access token serves"
                );
            }
        }
    }
}

#[test]
fn a_failure_is_recorded_with_its_pause_and_keeps_earlier_facts() {
    let failure = RefreshFailure {
        unanswered: true,
        refused_at: None,
        failed_at: START,
        until: at(2),
        client: "client",
    };
    let (first, event) = account().with_failed(&failure);
    assert_eq!(event, Some("account.refresh_degraded"));
    assert!(first.refresh.refresh_unanswered && first.lease.is_none());
    let (second, event) = first.with_failed(&RefreshFailure {
        unanswered: false,
        refused_at: Some(at(2)),
        until: at(12),
        ..failure
    });
    assert_eq!(event, None);
    assert!(second.refresh.refresh_unanswered, "until a success");
    assert_eq!(second.refresh.refresh_refused_at, Some(at(2)));
    assert_eq!(second.refresh.refresh_after, Some(at(12)));
    assert_eq!(second.refresh_failures, 2);
}

#[test]
fn pauses_after_failures_lie_between_a_second_and_two_seconds_to_fifteen_minutes() {
    let longest = [0, 1, 2, 3, 8, 9, 10, 11, u32::MAX]
        .map(|failures| back_off(failures, u32::MAX, None).as_secs());
    assert_eq!(longest, [1, 2, 4, 8, 256, 512, 900, 900, 900]);
    assert_eq!(back_off(5, 0, None).as_secs(), 1);
    assert_eq!(back_off(5, u32::MAX / 2, None).as_millis(), 15_999);
}

#[test]
fn a_pause_is_as_long_as_the_product_asks_up_to_a_day() {
    let asked = |seconds| back_off(1, u32::MAX, Some(Duration::from_secs(seconds))).as_secs();
    assert_eq!([1, 600, 1_000_000].map(asked), [2, 600, 86_400]);
}

#[test]
fn another_secret_or_id_is_another_client() {
    use crate::{resource::NewConnection, testing::World};
    let world = World::new();
    let context = testing::context(&world, &testing::STABLE, testing::always(200, ""));
    let connection = |name: &str, id: &str| {
        let new = NewConnection::new(name, "demo").client(id, "secret");
        world.run(async {
            crate::connections::create(&context, new).await.unwrap();
            context.connection_row(name).await.unwrap().row
        })
    };
    let (one, other) = (connection("one", "client"), connection("two", "other"));
    let draft = Connection {
        client_secret: None,
        ..one.clone()
    };
    assert_eq!(client_stamp(&one), client_stamp(&one.clone()));
    assert_ne!(client_stamp(&one), client_stamp(&other));
    assert_ne!(client_stamp(&one), client_stamp(&draft));
}

#[test]
fn an_account_of_an_older_version_is_read_and_new_members_are_stored() {
    let mut body = serde_json::to_value(account()).unwrap();
    let members = body.as_object_mut().unwrap();
    assert_eq!(members.remove("grant"), Some(0.into()));
    members.insert(String::from("later"), 1.into());
    let read: Account = serde_json::from_value(body).unwrap();
    assert_eq!(read.refresh, RefreshState::default());
    let known = Account {
        refresh: RefreshState {
            refresh_unanswered: true,
            refresh_after: Some(START),
            rotates: true,
            ..RefreshState::default()
        },
        ..read
    };
    let body = serde_json::to_value(&known).unwrap();
    assert_eq!(body["refresh_unanswered"], true);
    assert_eq!(body["rotates"], true);
    assert_eq!(body["later"], 1);
    assert_eq!(serde_json::from_value::<Account>(body).unwrap(), known);
}

#[test]
fn requests_stay_in_order_if_the_clock_is_set_back() {
    let mut row = account();
    assert_eq!(row.sends_at(at(5)), at(5));
    row.refresh.token_sent_at = Some(at(3600));
    assert!(row.sends_at(at(5)) > at(3600));
    assert_eq!(row.sends_at(at(3700)), at(3700));
}

#[test]
fn a_refresh_is_overtaken_by_other_tokens_and_by_another_holder_of_its_lease() {
    let claimed = account();
    assert!(!claimed.is_overtaken(&claimed, US));
    let consented = Account {
        generation: 4,
        ..account()
    };
    assert!(consented.is_overtaken(&claimed, US));
    assert!(claimed.is_overtaken(&claimed, Uuid::from_u128(3)));
}

#[test]
fn the_time_to_authorize_again_is_kept_and_announced_once() {
    const DAY: i64 = 24 * 3600;
    let mut row = account();
    row.refresh.reauthorize_by = Some(at(7 * DAY));
    let refresh = |row: &Account, day: i64, by: Option<i64>, rotated| {
        row.with_refreshed(&Refreshed {
            sent_at: at(day * DAY),
            claimed: row.generation,
            generation: row.generation + 1,
            reauthorize_by: by.map(|day| at(day * DAY)),
            rotated,
            ..refreshed(Stable)
        })
    };
    // A response without an expiry keeps the previous one, unless it contains a new refresh token.
    let (early, event) = refresh(&row, 1, None, false);
    assert_eq!(
        (early.refresh.reauthorize_by, event),
        (Some(at(7 * DAY)), None)
    );
    assert_eq!(
        refresh(&early, 1, None, true).0.refresh.reauthorize_by,
        None
    );
    let (later, event) = refresh(&early, 5, None, false);
    assert_eq!(event, Some("account.reauthorization_due"));
    let (again, event) = refresh(&later, 6, None, false);
    assert_eq!(event, None, "it was announced");
    // A new expiry gets its own announcement when it's due.
    let (renewed, event) = refresh(&again, 6, Some(90), true);
    assert_eq!(
        (renewed.refresh.reauthorize_by, event),
        (Some(at(90 * DAY)), None)
    );
    let (_, event) = refresh(&renewed, 88, None, false);
    assert_eq!(event, Some("account.reauthorization_due"));
}
