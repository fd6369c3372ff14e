use uuid::Uuid;

use super::*;
use crate::domain::{Credential, credential::shredded};
use crate::domain::{Lease, Subject};
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
const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);
const LATER: Timestamp = Timestamp::constant(1_767_229_200, 0);

/// An account with something in every place; a suspended one was active before.
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
            owner: Uuid::from_u128(3),
            until: LATER,
            generation: 4,
        }),
        refresh_failures: 3,
        ..new_account(id, connection, Identifier::new("ada").unwrap(), NOW)
    }
}

fn quarantine() -> PendingCredential {
    PendingCredential {
        generation: 6,
        granted_scopes: vec![String::from("b")],
        missing_scopes: vec![String::from("c")],
        subject: Some(Subject {
            id: String::from("sub-2"),
            display: None,
        }),
        token_expires_at: Some(LATER),
    }
}

#[test]
fn a_new_account_waits_for_its_user_and_holds_nothing() {
    let row = new_account(
        account(Active).id,
        account(Active).connection_id,
        Identifier::new("ada").unwrap(),
        NOW,
    );
    assert_eq!(
        (row.state, row.generation, row.last_generation),
        (PendingAuthorization, 0, 0)
    );
    assert_eq!((row.created_at, row.updated_at), (NOW, NOW));
    assert!(row.lease.is_none() && row.subject.is_none() && row.granted_scopes.is_empty());
}

#[test]
fn every_account_but_a_disconnected_one_can_be_suspended() {
    for state in STATES {
        let row = account(state);
        match (state, suspend(&row)) {
            (Suspended, changed) => assert_eq!(changed.unwrap(), None),
            (Disconnected, changed) => {
                assert_eq!(changed.unwrap_err().kind(), ErrorKind::InvalidTransition)
            }
            (_, changed) => {
                let expected = Account {
                    state: Suspended,
                    suspended_from: Some(state),
                    ..row
                };
                assert_eq!(
                    changed.unwrap(),
                    Some((expected, "account.suspended")),
                    "{state:?}"
                );
            }
        }
    }
}

#[test]
fn only_a_suspended_account_resumes_and_it_is_what_it_was() {
    for state in STATES.into_iter().filter(|state| *state != Suspended) {
        assert_eq!(
            resume(&account(state)).unwrap_err().kind(),
            ErrorKind::InvalidTransition,
            "{state:?}"
        );
    }
    for state in [
        PendingAuthorization,
        PendingVerification,
        Active,
        NeedsReauthorization,
    ] {
        let row = account(state);
        let (suspended, _) = suspend(&row).unwrap().unwrap();
        assert_eq!(resume(&suspended).unwrap(), Some((row, "account.resumed")));
    }
    let unknown = Account {
        suspended_from: None,
        ..account(Suspended)
    };
    assert_eq!(
        resume(&unknown).unwrap().unwrap().0.state,
        PendingAuthorization
    );
}

#[test]
fn a_disconnected_account_keeps_who_it_is_and_no_generation_comes_again() {
    for state in STATES {
        let row = account(state);
        let expected = Account {
            last_generation: 6,
            refresh_failures: 3,
            state: Disconnected,
            updated_at: LATER,
            ..new_account(
                row.id,
                row.connection_id,
                row.identifier.clone(),
                row.created_at,
            )
        };
        assert_eq!(
            disconnect(&row, LATER),
            (expected, "account.disconnected"),
            "{state:?}"
        );
    }
}

#[test]
fn a_verified_credential_makes_an_account_active_unless_it_is_suspended() {
    let outcomes = [
        (PendingAuthorization, Active, "account.activated"),
        (PendingVerification, Active, "account.activated"),
        (Active, Active, "account.reauthorized"),
        (NeedsReauthorization, Active, "account.reauthorized"),
        (Suspended, Suspended, "account.reauthorized"),
    ];
    for (from, to, event) in outcomes {
        let row = account(from);
        let expected = Account {
            state: to,
            suspended_from: (to == Suspended).then_some(Active),
            reason: None,
            health: AccountHealth::Ok,
            granted_scopes: quarantine().granted_scopes,
            missing_scopes: quarantine().missing_scopes,
            subject: quarantine().subject,
            generation: 6,
            token_expires_at: Some(LATER),
            lease: None,
            refresh_failures: 0,
            updated_at: LATER,
            ..row.clone()
        };
        assert_eq!(
            activate(&row, &quarantine(), LATER),
            (expected, event),
            "{from:?}"
        );
    }
}

#[test]
fn a_suspension_with_a_dead_credential_ends_in_an_active_account_after_a_new_authorization() {
    let (suspended, _) = suspend(&account(NeedsReauthorization)).unwrap().unwrap();
    let (mended, _) = activate(&suspended, &quarantine(), LATER);
    let (resumed, _) = resume(&mended).unwrap().unwrap();
    assert_eq!(
        (resumed.state, resumed.suspended_from, resumed.reason),
        (Active, None, None)
    );
}

#[test]
fn a_credential_that_does_not_say_whose_it_is_keeps_the_known_user() {
    let (row, _) = activate(
        &account(Active),
        &PendingCredential {
            subject: None,
            ..quarantine()
        },
        LATER,
    );
    assert_eq!(row.subject, account(Active).subject);
}

#[test]
fn a_dead_credential_needs_its_user_even_while_the_account_is_suspended() {
    for state in [
        PendingAuthorization,
        PendingVerification,
        Active,
        NeedsReauthorization,
        Suspended,
    ] {
        let row = account(state);
        let suspended = state == Suspended;
        let expected = Account {
            state: if suspended {
                Suspended
            } else {
                NeedsReauthorization
            },
            suspended_from: suspended.then_some(NeedsReauthorization),
            reason: Some(AccountReason::RefreshTokenMissing),
            lease: None,
            updated_at: LATER,
            ..row.clone()
        };
        assert_eq!(
            needs_reauthorization(&row, AccountReason::RefreshTokenMissing, LATER),
            expected,
            "{state:?}"
        );
    }
    let dead = needs_reauthorization(&account(Suspended), AccountReason::RefreshRejected, LATER);
    assert_eq!(
        resume(&dead).unwrap().unwrap().0.state,
        NeedsReauthorization
    );
}

#[test]
fn shredding_takes_the_tokens_and_leaves_the_row() {
    let row = Credential {
        account_id: account(Active).id,
        generation: 4,
        sealed: Some(crate::sealed::Sealed::from_bytes(vec![1])),
        held_by: None,
        created_at: NOW,
    };
    assert_eq!(
        shredded(&row),
        Credential {
            sealed: None,
            ..row
        }
    );
}
