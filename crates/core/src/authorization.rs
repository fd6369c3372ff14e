//! Authorizations: one attempt each to connect an account. The steps are pure functions of rows.

use jiff::{SignedDuration, Timestamp};

use crate::{
    Error, ErrorKind, Result,
    account::shredded,
    environment::Environment,
    identifier::AuthorizationId,
    resource::AccountState,
    store::{AuthorizationRow, AuthorizationState, Batch, Commit, Versioned},
};

/// Time from the browser's leaving to its return.
const REDIRECTED: SignedDuration = SignedDuration::from_mins(15);
/// Time for the exchange of the code: longer than a token request with the commit after it.
const EXCHANGING: SignedDuration = SignedDuration::from_mins(5);
/// Time for the application to confirm who came back.
const VERIFYING: SignedDuration = SignedDuration::from_mins(10);

/// Whether a link may still be opened, as an error where not.
pub(crate) fn openable(row: &AuthorizationRow, now: Timestamp) -> Result<()> {
    use AuthorizationState as State;
    match row.state {
        State::Created | State::Opened | State::Redirected if row.expires_at <= now => {
            Err(expired())
        }
        State::Created | State::Opened | State::Redirected => Ok(()),
        State::Expired => Err(expired()),
        State::Returned | State::Exchanged | State::Verifying | State::Completed => Err(consumed()),
        State::Denied | State::Failed | State::Superseded => Err(Error::new(
            ErrorKind::AuthorizationConsumed,
            "this link has ended without success; ask for a new one",
        )),
    }
}

/// The browser is bound and sent to the product.
pub(crate) fn redirected(row: &AuthorizationRow, now: Timestamp) -> AuthorizationRow {
    AuthorizationRow {
        state: AuthorizationState::Redirected,
        expires_at: later(now, REDIRECTED),
        ..row.clone()
    }
}

/// Whether a callback may be taken, as an error where not.
pub(crate) fn returnable(row: &AuthorizationRow, now: Timestamp) -> Result<()> {
    match row.state {
        AuthorizationState::Redirected if row.expires_at <= now => Err(expired()),
        AuthorizationState::Redirected => Ok(()),
        AuthorizationState::Expired => Err(expired()),
        _ => Err(Error::new(
            ErrorKind::AuthorizationConsumed,
            "this return from the product was handled already",
        )),
    }
}

/// The state is spent: no other callback will be taken.
pub(crate) fn returned(row: &AuthorizationRow, now: Timestamp) -> AuthorizationRow {
    AuthorizationRow {
        state: AuthorizationState::Returned,
        expires_at: later(now, EXCHANGING),
        ..row.clone()
    }
}

/// The tokens are in quarantine until the application confirms.
pub(crate) fn verifying(row: &AuthorizationRow, now: Timestamp) -> AuthorizationRow {
    AuthorizationRow {
        state: AuthorizationState::Verifying,
        verifier: None,
        expires_at: later(now, VERIFYING),
        ..row.clone()
    }
}

/// The account is active.
pub(crate) fn completed(row: &AuthorizationRow) -> AuthorizationRow {
    AuthorizationRow {
        state: AuthorizationState::Completed,
        verifier: None,
        quarantine: None,
        ..row.clone()
    }
}

/// It has ended without success.
pub(crate) fn ended(
    row: &AuthorizationRow,
    state: AuthorizationState,
    reason: &str,
) -> AuthorizationRow {
    AuthorizationRow {
        state,
        reason: Some(reason.to_owned()),
        verifier: None,
        quarantine: None,
        ..row.clone()
    }
}

pub(crate) fn expired() -> Error {
    Error::new(
        ErrorKind::AuthorizationExpired,
        "the link is past its time; ask for a new one",
    )
}

fn consumed() -> Error {
    Error::new(
        ErrorKind::AuthorizationConsumed,
        "this link was used already; ask for a new one",
    )
}

fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

impl Environment {
    pub(crate) async fn authorization_row(
        &self,
        id: AuthorizationId,
    ) -> Result<Versioned<AuthorizationRow>> {
        let row = self.store().authorization(id).await?;
        row.ok_or_else(|| {
            Error::new(
                ErrorKind::AuthorizationNotFound,
                "there is no authorization with this id",
            )
        })
    }

    /// Ends an authorization without success: its quarantined credential is shredded, and revoked at the product where
    /// that harms no other credential of the account. An authorization that has moved on meanwhile stays as it is.
    pub(crate) async fn end_authorization(
        &self,
        authorization: Versioned<AuthorizationRow>,
        state: AuthorizationState,
        reason: &str,
    ) -> Result<Commit> {
        let Versioned { row, version, .. } = authorization;
        let mut batch = Batch::new().update(ended(&row, state, reason), version);
        if row.quarantine.is_some()
            && let Some(account) = self.store().account(row.account_id).await?
        {
            for credential in self.store().credentials(row.account_id).await? {
                if credential.row.held_by == Some(row.id) {
                    if let Some(entry) = self.revocation_of(&account.row, &credential.row).await {
                        batch = batch.insert(entry);
                    }
                    batch = batch.update(shredded(&credential.row), credential.version);
                }
            }
            if account.row.state == AccountState::PendingVerification {
                let mut changed = account.row.clone();
                changed.state = AccountState::PendingAuthorization;
                changed.updated_at = self.now();
                let event = self.account_event("account.verification_failed", &changed);
                batch = batch.update(changed, account.version).insert(event);
            }
        }
        let event = self.new_event(
            if state == AuthorizationState::Denied { "authorization.denied" } else { "authorization.failed" },
            Some(row.account_id),
            serde_json::json!({ "authorization_id": row.id, "identifier": row.identifier, "reason": reason }),
        );
        let outcome = self.store().commit(batch.insert(event)).await?;
        self.work_off_outbox();
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        identifier::{AccountId, ConnectionId, Identifier},
        store::{Digest, EndpointSnapshot, PendingCredential, Sealed},
    };
    use AuthorizationState::{
        Completed, Created, Denied, Exchanged, Expired, Failed, Opened, Redirected, Returned,
        Superseded, Verifying,
    };

    const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);
    const STATES: [AuthorizationState; 11] = [
        Created, Opened, Redirected, Returned, Exchanged, Verifying, Completed, Denied, Expired,
        Failed, Superseded,
    ];

    /// An authorization with something in every place, whose step ends in a second.
    fn authorization(state: AuthorizationState) -> AuthorizationRow {
        AuthorizationRow {
            id: AuthorizationId::from_uuid(Uuid::from_u128(1)),
            account_id: AccountId::from_uuid(Uuid::from_u128(2)),
            connection_id: ConnectionId::from_uuid(Uuid::from_u128(3)),
            identifier: Identifier::new("ada").unwrap(),
            state,
            reason: None,
            link: Digest::of("link"),
            oauth_state: Some(Digest::of("state")),
            browser: Some(Digest::of("cookie")),
            verifier: Some(Sealed::from_bytes(vec![1])),
            endpoints: Some(EndpointSnapshot {
                issuer: None,
                authorize: String::from("a"),
                token: String::from("t"),
            }),
            scopes: vec![String::from("notes")],
            verify_url: Some(String::from("https://app.test/back")),
            app_state: Some(String::from("s")),
            allow_account_switch: false,
            quarantine: Some(PendingCredential {
                generation: 1,
                granted_scopes: Vec::new(),
                missing_scopes: Vec::new(),
                subject: None,
                token_expires_at: None,
            }),
            created_at: NOW,
            expires_at: NOW + SignedDuration::from_secs(1),
        }
    }

    fn kind(result: Result<()>) -> Option<ErrorKind> {
        result.err().map(|error| error.kind())
    }

    #[test]
    fn a_link_opens_until_the_browser_comes_back_or_its_time_is_over() {
        use ErrorKind::{AuthorizationConsumed as Used, AuthorizationExpired as Late};
        let outcomes = [
            (Created, None, Some(Late)),
            (Opened, None, Some(Late)),
            (Redirected, None, Some(Late)),
            (Returned, Some(Used), Some(Used)),
            (Exchanged, Some(Used), Some(Used)),
            (Verifying, Some(Used), Some(Used)),
            (Completed, Some(Used), Some(Used)),
            (Denied, Some(Used), Some(Used)),
            (Expired, Some(Late), Some(Late)),
            (Failed, Some(Used), Some(Used)),
            (Superseded, Some(Used), Some(Used)),
        ];
        assert_eq!(outcomes.map(|(state, ..)| state), STATES);
        for (state, in_time, at_its_end) in outcomes {
            let row = authorization(state);
            assert_eq!(kind(openable(&row, NOW)), in_time, "{state:?}");
            assert_eq!(
                kind(openable(&row, row.expires_at)),
                at_its_end,
                "{state:?}"
            );
        }
    }

    #[test]
    fn one_callback_is_taken_and_only_of_a_browser_that_was_sent() {
        for state in STATES {
            let row = authorization(state);
            let late = Some(ErrorKind::AuthorizationExpired);
            let (in_time, at_its_end) = match state {
                Redirected => (None, late),
                Expired => (late, late),
                _ => (
                    Some(ErrorKind::AuthorizationConsumed),
                    Some(ErrorKind::AuthorizationConsumed),
                ),
            };
            assert_eq!(kind(returnable(&row, NOW)), in_time, "{state:?}");
            assert_eq!(
                kind(returnable(&row, row.expires_at)),
                at_its_end,
                "{state:?}"
            );
        }
    }

    #[test]
    fn a_taken_callback_is_not_taken_again() {
        let spent = returned(&authorization(Redirected), NOW);
        assert_eq!(
            spent,
            AuthorizationRow {
                state: Returned,
                expires_at: NOW + EXCHANGING,
                ..authorization(Redirected)
            }
        );
        assert_eq!(
            kind(returnable(&spent, NOW)),
            Some(ErrorKind::AuthorizationConsumed)
        );
        assert_eq!(
            kind(openable(&spent, NOW)),
            Some(ErrorKind::AuthorizationConsumed)
        );
    }

    #[test]
    fn every_step_has_its_own_time() {
        for (row, minutes) in [
            (redirected(&authorization(Opened), NOW), 15),
            (verifying(&authorization(Returned), NOW), 10),
        ] {
            assert_eq!(
                row.expires_at,
                NOW + SignedDuration::from_mins(minutes),
                "{:?}",
                row.state
            );
        }
        assert_eq!(
            redirected(&authorization(Opened), Timestamp::MAX).expires_at,
            Timestamp::MAX
        );
    }

    #[test]
    fn steps_change_what_they_say_and_nothing_else() {
        let from = authorization(Created);
        let (redirected, verifying) = (redirected(&from, NOW), verifying(&from, NOW));
        assert_eq!(
            redirected,
            AuthorizationRow {
                state: Redirected,
                expires_at: redirected.expires_at,
                ..from.clone()
            }
        );
        assert_eq!(
            verifying,
            AuthorizationRow {
                state: Verifying,
                verifier: None,
                expires_at: verifying.expires_at,
                ..from.clone()
            }
        );
        assert_eq!(
            completed(&from),
            AuthorizationRow {
                state: Completed,
                verifier: None,
                quarantine: None,
                ..from.clone()
            }
        );
        for end in [Denied, Expired, Failed, Superseded] {
            let expected = AuthorizationRow {
                state: end,
                reason: Some(String::from("why")),
                verifier: None,
                quarantine: None,
                ..from.clone()
            };
            assert_eq!(ended(&from, end, "why"), expected);
        }
    }
}
