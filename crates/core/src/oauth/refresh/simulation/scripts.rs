//! Scripted histories, because random ones seldom reach them.

use super::{tests::in_memory, *};
use crate::state::{AccountReason, AccountState};

const CLASSES: [Class; 4] = [Class::Stable, Class::Rotating, Class::Grace, Class::Strict];
const SECOND: Duration = Duration::from_secs(1);
/// Time until a request is in flight.
const SENT: Duration = Duration::from_millis(100);
/// Time until the product has responded, with the response still in flight.
const ANSWERED: Duration = Duration::from_millis(200);
/// Time until a lease and the wait for its holder are over.
const LEASE_OVER: Duration = Duration::from_secs(125);
/// Time until the access token from an authorization has expired.
const EXPIRED: Duration = Duration::from_secs(LIFE.as_secs() as u64 + 1);

/// Plays a history with several seeds, and checks the account at the end.
fn script(class: Class, scenes: &[Scene], check: impl Fn(&History)) {
    for seed in 0..8 {
        let mut history = History::new(class, seed, Default::default(), &in_memory);
        scenes.iter().for_each(|scene| history.play(scene));
        check(&history);
        history.end();
    }
}

fn lives(history: &History) {
    let row = history.row();
    assert_eq!(row.state, AccountState::Active, "{row:?}");
}

#[test]
fn an_account_has_one_grant_at_a_time() {
    let histories: [&[Scene]; 5] = [
        // Two links are opened, and both are confirmed.
        &[
            (
                vec![Act::Authorize(0, false), Act::Authorize(1, false)],
                SECOND,
            ),
            (vec![Act::Verify(0), Act::Verify(1)], SECOND),
        ],
        // The credential in use is refreshed twice while another waits.
        &[
            (vec![Act::Authorize(0, false)], SECOND),
            (vec![Act::Refresh(0)], SECOND),
            (vec![Act::Refresh(1)], SECOND),
            (vec![Act::Verify(0)], SECOND),
            (vec![Act::Refresh(0)], SECOND),
            (vec![Act::Refresh(1)], SECOND),
        ],
        // The response to a refresh arrives after another grant has replaced this one.
        &[
            (vec![Act::Authorize(0, false)], SECOND),
            (vec![Act::Refresh(0)], ANSWERED),
            (vec![Act::Verify(1)], SECOND),
            (vec![Act::Refresh(0)], SECOND),
        ],
        // A grant was pending at the disconnect. It is confirmed after the account is active again.
        &[
            (vec![Act::Authorize(0, false)], SECOND),
            (vec![Act::Disconnect(1, false)], SECOND),
            (vec![Act::Authorize(0, false)], SECOND),
            (vec![Act::Verify(0)], SECOND),
            (vec![Act::Verify(0)], SECOND),
        ],
        // The response to a refresh arrives after a disconnect and a new link.
        &[
            (vec![Act::Refresh(0)], ANSWERED),
            (vec![Act::Disconnect(1, true)], Duration::from_millis(20)),
            (vec![Act::Authorize(1, false)], SECOND),
            (vec![Act::Verify(0)], SECOND),
        ],
    ];
    for class in CLASSES {
        for history in histories {
            script(class, history, lives);
        }
    }
}

#[test]
fn a_refusal_of_an_ended_grant_uses_no_token_of_the_new_grant() {
    let scenes = [
        (vec![Act::RevokeAtProduct, Act::Authorize(0, false)], SECOND),
        (vec![Act::Refresh(0)], ANSWERED),
        (vec![Act::Verify(1)], SECOND),
        (vec![Act::Refresh(0)], SECOND),
        (vec![Act::Refresh(1)], SECOND),
    ];
    for class in CLASSES {
        script(class, &scenes, lives);
    }
}

/// The holder of the lease freezes after the product has responded. Another process refreshes, and the frozen one's
/// tokens arrive late.
#[test]
fn late_tokens_do_not_replace_live_ones() {
    let late = [
        (Vec::new(), EXPIRED),
        (vec![Act::Call(0)], ANSWERED),
        (vec![Act::Freeze(0, 2)], LEASE_OVER),
        (vec![Act::Call(1)], SECOND),
        // The frozen process continues.
        (Vec::new(), SECOND),
    ];
    let next = [
        (vec![Act::Refresh(1)], SECOND),
        (vec![Act::Refresh(0)], SECOND),
        (vec![Act::Refresh(1)], SECOND),
    ];
    for class in CLASSES {
        script(class, &late, lives);
    }
    // If the other process's token was rejected, the late tokens reactivate the account.
    let lost = |history: &History| {
        let row = history.row();
        let reason = Some(AccountReason::RefreshOutcomeLost);
        assert_eq!(row.reason, reason, "{row:?}");
    };
    for class in [Class::Rotating, Class::Strict] {
        script(class, &late[..4], lost);
    }
    for class in [Class::Stable, Class::Rotating, Class::Grace] {
        script(class, &[&late[..], &next].concat(), lives);
    }
    script(Class::Strict, &[&late[..], &next].concat(), |_| {});
}

/// Like the previous history, but the request itself arrives late.
#[test]
fn a_late_request_loses_no_token() {
    let scenes = [
        (Vec::new(), EXPIRED),
        (vec![Act::Call(0)], SENT),
        (vec![Act::Freeze(0, 2)], LEASE_OVER),
        // The other process shreds the replaced tokens after the late ones have arrived.
        (
            vec![Act::FreezeAfter("refresh.keep", 1, 2), Act::Call(1)],
            SECOND,
        ),
        (Vec::new(), SECOND),
        (vec![Act::Refresh(1)], SECOND),
        (vec![Act::Refresh(0)], SECOND),
    ];
    for class in [Class::Stable, Class::Rotating, Class::Grace] {
        script(class, &scenes, lives);
    }
    script(Class::Strict, &scenes, |_| {});
}

/// The holder of the lease freezes before it sends its request.
#[test]
fn a_process_with_an_expired_lease_sends_no_request() {
    let frozen = |scenes| {
        (
            vec![Act::FreezeAfter("refresh.claim", 0, scenes), Act::Call(0)],
            LEASE_OVER,
        )
    };
    // It continues after another process has refreshed, or at the same time.
    for scenes in [2, 1] {
        let scenes = [
            (Vec::new(), EXPIRED),
            frozen(scenes),
            (vec![Act::Call(1)], SECOND),
            (Vec::new(), SECOND),
            (vec![Act::Refresh(1)], SECOND),
            (vec![Act::Refresh(0)], SECOND),
        ];
        for class in CLASSES {
            script(class, &scenes, lives);
        }
    }
}

/// The spool still has a record after its tokens are stored. Stead reads it again when the account has newer tokens.
#[test]
fn old_spooled_tokens_do_not_replace_live_ones() {
    let into_outage = Act::Fault(Fault::RespondsIntoOutage(10), 1);
    let scenes = [
        (
            vec![Act::StickSpool(true), into_outage, Act::Refresh(0)],
            15 * SECOND,
        ),
        (vec![Act::Refresh(1)], SECOND),
        (vec![Act::Refresh(1)], SECOND),
        (vec![Act::Restart(false)], SECOND),
        (vec![Act::Refresh(0)], SECOND),
        (vec![Act::Refresh(1)], SECOND),
        (vec![Act::StickSpool(false), Act::Kill(0)], SECOND),
        (vec![Act::Refresh(0)], SECOND),
    ];
    for class in CLASSES {
        script(class, &scenes, lives);
    }
}

/// A process freezes before it shreds the tokens that it replaced. It continues when the account has newer ones.
#[test]
fn late_shredding_keeps_live_tokens() {
    let scenes = [
        (
            vec![Act::FreezeAfter("refresh.keep", 0, 3), Act::Refresh(0)],
            SECOND,
        ),
        (vec![Act::Refresh(1)], SECOND),
        (vec![Act::Refresh(1)], SECOND),
        (Vec::new(), SECOND),
        (vec![Act::Refresh(0)], SECOND),
    ];
    for class in CLASSES {
        script(class, &scenes, lives);
    }
}
