//! The whole table of an account's states and triggers, and what each transition changes.

use uuid::Uuid;

use super::*;
use crate::{
    domain::{Credential, Lease, Subject},
    product::Rotation,
};
use AccountState::{
    Active, Disconnected, NeedsReauthorization, PendingAuthorization, PendingVerification,
    Suspended,
};

const STATES: [AccountState; 6] = [
    PendingAuthorization,
    PendingVerification,
    Active,
    NeedsReauthorization,
    Suspended,
    Disconnected,
];
/// Every trigger, in the order of the columns of the table.
fn triggers<'a>(
    pending: &'a PendingCredential,
    refreshed: &'a Refreshed,
    imported: &'a Imported,
) -> [Trigger<'a>; 15] {
    [
        Trigger::LinkMade,
        Trigger::CredentialPending {
            by_application: true,
        },
        Trigger::CredentialPending {
            by_application: false,
        },
        Trigger::VerificationFailed,
        Trigger::Confirmed(pending),
        Trigger::Refreshed(refreshed),
        Trigger::CredentialAdopted {
            generation: 6,
            token_expires_at: None,
            sent_at: None,
        },
        Trigger::RefreshFailed(&FAILURE),
        Trigger::LeaseReleased,
        Trigger::CredentialDied(AccountReason::RefreshRejected),
        Trigger::ClientChanged,
        Trigger::Suspended,
        Trigger::Resumed,
        Trigger::Disconnected { revoke: false },
        Trigger::Imported(imported),
    ]
}

/// The position of a trigger in [`triggers`]. The tests don't compile until a new trigger has one.
fn place(trigger: Trigger<'_>) -> usize {
    match trigger {
        Trigger::LinkMade => 0,
        Trigger::CredentialPending {
            by_application: true,
        } => 1,
        Trigger::CredentialPending {
            by_application: false,
        } => 2,
        Trigger::VerificationFailed => 3,
        Trigger::Confirmed(_) => 4,
        Trigger::Refreshed(_) => 5,
        Trigger::CredentialAdopted { .. } => 6,
        Trigger::RefreshFailed(_) => 7,
        Trigger::LeaseReleased => 8,
        Trigger::CredentialDied(_) => 9,
        Trigger::ClientChanged => 10,
        Trigger::Suspended => 11,
        Trigger::Resumed => 12,
        Trigger::Disconnected { .. } => 13,
        Trigger::Imported(_) => 14,
    }
}

const FAILURE: RefreshFailure<'static> = RefreshFailure {
    unanswered: false,
    refused_at: None,
    failed_at: NOW,
    until: LATER,
    client: "client",
};
const OWNER: Uuid = Uuid::from_u128(3);
const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);
const LATER: Timestamp = Timestamp::constant(1_767_229_200, 0);

/// An account with every field set. Its health is degraded. If it's suspended, it was active before.
fn account(state: AccountState) -> Account {
    let id = AccountId::from_uuid(Uuid::from_u128(1));
    let connection = ConnectionId::from_uuid(Uuid::from_u128(2));
    Account {
        state,
        suspended_from: (state == Suspended).then_some(Active),
        reason: (state == NeedsReauthorization).then_some(AccountReason::RefreshRejected),
        health: AccountHealth::Degraded,
        granted_scopes: vec![String::from("a")],
        missing_scopes: vec![String::from("b")],
        subject: Some(Subject {
            id: String::from("sub-1"),
            display: Some(String::from("ada@example.test")),
        }),
        generation: 4,
        last_generation: 6,
        token_expires_at: Some(NOW),
        lease: Some(Lease {
            owner: OWNER,
            process: None,
            until: LATER,
            generation: 4,
        }),
        refresh_failures: 3,
        refresh: RefreshState {
            refresh_refused_at: Some(NOW),
            ..RefreshState::default()
        },
        ..new_account(id, connection, Identifier::new("ada").unwrap(), NOW)
    }
}

fn pending_credential() -> PendingCredential {
    PendingCredential {
        generation: 6,
        granted_scopes: vec![String::from("b")],
        missing_scopes: vec![String::from("c")],
        subject: Some(Subject {
            id: String::from("sub-2"),
            display: None,
        }),
        client_epoch: 2,
        token_expires_at: Some(LATER),
        reauthorize_by: None,
    }
}

#[test]
fn a_new_account_is_pending_and_empty() {
    let (of, ada) = (account(Active), Identifier::new("ada").unwrap());
    let row = new_account(of.id, of.connection_id, ada, NOW);
    assert_eq!(row.state, PendingAuthorization);
    assert_eq!((row.generation, row.last_generation), (0, 0));
    assert_eq!((row.created_at, row.updated_at), (NOW, NOW));
    assert!(row.lease.is_none() && row.subject.is_none() && row.granted_scopes.is_empty());
}

fn refreshed() -> Refreshed {
    Refreshed {
        owner: OWNER,
        grant: 0,
        claimed: 4,
        generation: 7,
        sent_at: NOW,
        token_expires_at: Some(LATER),
        reauthorize_by: None,
        scopes: None,
        rotation: Rotation::Stable,
        rotated: false,
    }
}

fn imported() -> Imported {
    Imported {
        credential: PendingCredential {
            generation: 7,
            ..pending_credential()
        },
        suspended: false,
        line: Digest::of("line"),
    }
}

/// The account after a trigger.
fn after(account: &Account, trigger: Trigger<'_>) -> Account {
    account.on(trigger, LATER).unwrap().unwrap().0
}

/// State and event after a trigger, `stays`, or the error.
fn outcome(account: &Account, trigger: Trigger<'_>) -> String {
    match account.on(trigger, LATER) {
        Ok(None) => String::from("stays"),
        Ok(Some((next, event))) => {
            assert_eq!(next.updated_at, LATER);
            let event = event.map_or("no event", |event| event.trim_start_matches("account."));
            format!("{}: {event}", next.state.name())
        }
        Err(error) => error.kind().name().to_owned(),
    }
}

#[test]
fn every_state_knows_every_trigger() {
    let (pending, refreshed, imported) = (pending_credential(), refreshed(), imported());
    let triggers = triggers(&pending, &refreshed, &imported);
    for (index, trigger) in triggers.into_iter().enumerate() {
        assert_eq!(place(trigger), index);
    }
    let mut table = String::new();
    for state in STATES {
        table += &format!("\n{}\n", state.name());
        for trigger in triggers {
            let trigger_name = format!("{trigger:?}");
            let name = trigger_name.split(['(', '{']).next().unwrap_or_default();
            let degraded = account(state);
            let mut healthy = degraded.clone();
            healthy.health = AccountHealth::Ok;
            let [degraded, healthy] = [degraded, healthy].map(|row| outcome(&row, trigger));
            table += &format!("    {} -> {degraded}", name.trim());
            if healthy != degraded {
                table += &format!(" (healthy: {healthy})");
            }
            table.push('\n');
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_resumed_account_has_its_previous_state() {
    let pending = [PendingAuthorization, PendingVerification];
    for state in pending.into_iter().chain([Active, NeedsReauthorization]) {
        let mut row = account(state);
        row.updated_at = LATER;
        let suspended = after(&account(state), Trigger::Suspended);
        let mut expected = row.clone();
        (expected.state, expected.suspended_from) = (Suspended, Some(state));
        assert_eq!(suspended, expected);
        assert_eq!(after(&suspended, Trigger::Resumed), row);
    }
    let mut unknown = account(Suspended);
    unknown.suspended_from = None;
    let resumed = after(&unknown, Trigger::Resumed);
    assert_eq!(resumed.state, PendingAuthorization);
}

#[test]
fn a_disconnected_account_keeps_its_identity_and_its_last_generation() {
    for state in STATES {
        let row = account(state);
        let (id, identifier) = (row.id, row.identifier.clone());
        let mut expected = Account {
            last_generation: 6,
            disconnections: 1,
            refresh_failures: 3,
            state: Disconnected,
            updated_at: LATER,
            ..new_account(id, row.connection_id, identifier, row.created_at)
        };
        let disconnected = after(&row, Trigger::Disconnected { revoke: false });
        assert_eq!(disconnected, expected, "{state:?}");
        let revoked = after(&row, Trigger::Disconnected { revoke: true });
        expected.revoked_generation = row.last_generation;
        assert_eq!(revoked, expected);
    }
}

#[test]
fn an_adopted_credential_brings_its_own_times() {
    let row = account(Active);
    let adopted = Trigger::CredentialAdopted {
        generation: 5,
        token_expires_at: Some(LATER),
        sent_at: Some(LATER),
    };
    let expected = Account {
        generation: 5,
        token_expires_at: Some(LATER),
        lease: None,
        refresh: RefreshState {
            token_sent_at: Some(LATER),
            refresh_refused_at: None,
            ..row.refresh.clone()
        },
        updated_at: LATER,
        ..row.clone()
    };
    assert_eq!(after(&row, adopted), expected);
}

#[test]
fn a_confirmed_credential_is_the_current_one() {
    for from in STATES.into_iter().filter(|state| *state != Disconnected) {
        let row = account(from);
        let suspended = from == Suspended;
        let expected = Account {
            state: if suspended { Suspended } else { Active },
            suspended_from: suspended.then_some(Active),
            reason: None,
            health: AccountHealth::Ok,
            granted_scopes: pending_credential().granted_scopes,
            missing_scopes: pending_credential().missing_scopes,
            subject: pending_credential().subject,
            generation: 6,
            client_epoch: 2,
            token_expires_at: Some(LATER),
            lease: None,
            refresh_failures: 0,
            refresh: RefreshState {
                grant: 6,
                ..RefreshState::default()
            },
            updated_at: LATER,
            ..row.clone()
        };
        let confirmed = after(&row, Trigger::Confirmed(&pending_credential()));
        assert_eq!(confirmed, expected, "{from:?}");
    }
}

#[test]
fn a_suspension_with_a_dead_credential_ends_in_an_active_account_after_a_new_authorization() {
    let suspended = after(&account(NeedsReauthorization), Trigger::Suspended);
    let confirmed = after(&suspended, Trigger::Confirmed(&pending_credential()));
    let resumed = after(&confirmed, Trigger::Resumed);
    assert_eq!((resumed.state, resumed.suspended_from), (Active, None));
    assert_eq!(resumed.reason, None);
}

#[test]
fn a_credential_without_a_subject_keeps_the_known_one() {
    let mut pending = pending_credential();
    pending.subject = None;
    let row = after(&account(Active), Trigger::Confirmed(&pending));
    assert_eq!(row.subject, account(Active).subject);
}

#[test]
fn a_dead_credential_needs_its_user_even_while_the_account_is_suspended() {
    for state in STATES.into_iter().filter(|state| *state != Disconnected) {
        let row = account(state);
        let (now, from) = match state {
            Suspended => (Suspended, Some(NeedsReauthorization)),
            _ => (NeedsReauthorization, None),
        };
        let expected = Account {
            state: now,
            suspended_from: from,
            reason: Some(AccountReason::RefreshTokenMissing),
            lease: None,
            updated_at: LATER,
            ..row.clone()
        };
        let died = Trigger::CredentialDied(AccountReason::RefreshTokenMissing);
        assert_eq!(after(&row, died), expected, "{state:?}");
    }
    let died = Trigger::CredentialDied(AccountReason::RefreshRejected);
    let dead = after(&account(Suspended), died);
    assert_eq!(after(&dead, Trigger::Resumed).state, NeedsReauthorization);
}

#[test]
fn a_refresh_starts_the_next_generation_and_names_lost_scopes() {
    let mut refreshed = refreshed();
    refreshed.scopes = Some(vec![String::from("b"), String::from("c")]);
    let row = account(Active);
    let expected = Account {
        health: AccountHealth::Ok,
        granted_scopes: vec![String::from("b"), String::from("c")],
        missing_scopes: vec![String::from("a")],
        generation: 7,
        last_generation: 7,
        token_expires_at: Some(LATER),
        lease: None,
        refresh_failures: 0,
        refresh: RefreshState {
            token_sent_at: Some(NOW),
            ..RefreshState::default()
        },
        updated_at: LATER,
        ..row.clone()
    };
    assert_eq!(after(&row, Trigger::Refreshed(&refreshed)), expected);
}

#[test]
fn tokens_of_a_replaced_generation_are_stored_next_to_the_current_ones() {
    let mut refreshed = refreshed();
    refreshed.claimed = 3;
    let (row, mut expected) = (account(Active), account(Active));
    (expected.last_generation, expected.updated_at) = (7, LATER);
    assert_eq!(after(&row, Trigger::Refreshed(&refreshed)), expected);
}

#[test]
fn another_product_user_replaces_the_known_one_only_if_allowed() {
    let subject = |id: &str| {
        Some(Subject {
            id: id.to_owned(),
            display: None,
        })
    };
    let table = [
        (None, subject("1"), false),
        (subject("1"), None, false),
        (subject("1"), subject("1"), false),
        (subject("1"), subject("2"), true),
    ];
    for (before, now, refused) in table {
        let (mut row, mut pending) = (account(Active), pending_credential());
        (row.subject, pending.subject) = (before, now);
        let same = row.same_subject(&pending, false);
        let kind = same.err().map(|error| error.kind());
        assert_eq!(kind, refused.then_some(ErrorKind::ProductAccountMismatch));
        assert!(row.same_subject(&pending, true).is_ok());
    }
}

#[test]
fn shredding_takes_the_tokens_and_leaves_the_row() {
    let mut row = Credential {
        account_id: account(Active).id,
        generation: 4,
        sealed: Some(crate::sealed::Sealed::from_bytes(vec![1])),
        pending_for: None,
        client_epoch: 0,
        sent_at: None,
        created_at: NOW,
        extra: Default::default(),
    };
    let shredded = row.shredded();
    row.sealed = None;
    assert_eq!(shredded, row);
}
