//! An authorization: one attempt to connect an account.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Subject;
use crate::{
    Error, ErrorKind, Result,
    digest::Digest,
    identifier::{AccountId, AuthorizationId, ConnectionId, Identifier},
    sealed::Sealed,
};

/// How far an authorization has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AuthorizationState {
    /// The link exists.
    Created,
    /// A browser has opened it and is bound.
    Opened,
    /// That browser was sent to the product.
    Redirected,
    /// It came back; the state is spent.
    Returned,
    /// The code was exchanged; the tokens are in quarantine.
    Exchanged,
    /// The application has to confirm who came back.
    Verifying,
    /// The account is active.
    Completed,
    /// The user refused.
    Denied,
    /// Its time is over.
    Expired,
    /// It failed.
    Failed,
    /// A newer one was completed.
    Superseded,
}

/// One attempt to connect an account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Authorization {
    /// Id; primary key.
    pub(crate) id: AuthorizationId,
    /// Account that it is for.
    pub(crate) account_id: AccountId,
    /// Its connection.
    pub(crate) connection_id: ConnectionId,
    /// Its identifier.
    pub(crate) identifier: Identifier,
    /// How far it has come.
    pub(crate) state: AuthorizationState,
    /// Why it failed.
    pub(crate) reason: Option<String>,
    /// Digest of the link's secret; unique.
    pub(crate) link: Digest,
    /// Digest of the OAuth state last sent; unique.
    pub(crate) oauth_state: Option<Digest>,
    /// Digest of the cookie of the browser that opened the link.
    pub(crate) browser: Option<Digest>,
    /// PKCE verifier.
    pub(crate) verifier: Option<Sealed>,
    /// Where the browser was sent, and where the code goes.
    pub(crate) endpoints: Option<EndpointSnapshot>,
    /// Scopes asked for.
    pub(crate) scopes: Vec<String>,
    /// Where the browser goes after the callback.
    pub(crate) verify_url: Option<String>,
    /// Handed back to `verify_url`.
    pub(crate) app_state: Option<String>,
    /// Whether another account of the product may take the present one's place.
    pub(crate) allow_account_switch: bool,
    /// What the exchange brought, until it is verified.
    pub(crate) quarantine: Option<PendingCredential>,
    /// When it was created.
    pub(crate) created_at: Timestamp,
    /// When the present step ends.
    pub(crate) expires_at: Timestamp,
}

/// Authorization server as it was when the browser was sent there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EndpointSnapshot {
    /// Issuer, where the product names one.
    pub(crate) issuer: Option<String>,
    /// Authorization endpoint.
    pub(crate) authorize: String,
    /// Token endpoint.
    pub(crate) token: String,
}

/// A credential that no call may use yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PendingCredential {
    /// Generation of the credential.
    pub(crate) generation: u64,
    /// Scopes that the user granted.
    pub(crate) granted_scopes: Vec<String>,
    /// Scopes asked for and not granted.
    pub(crate) missing_scopes: Vec<String>,
    /// Who the user is at the product.
    pub(crate) subject: Option<Subject>,
    /// When its access token ends.
    pub(crate) token_expires_at: Option<Timestamp>,
}

/// Time from the browser's leaving to its return.
const REDIRECTED: SignedDuration = SignedDuration::from_mins(15);
/// Time for the exchange of the code: longer than a token request with the commit after it.
const EXCHANGING: SignedDuration = SignedDuration::from_mins(5);
/// Time for the application to confirm who came back.
const VERIFYING: SignedDuration = SignedDuration::from_mins(10);

/// Whether a link may still be opened, as an error where not.
pub(crate) fn openable(row: &Authorization, now: Timestamp) -> Result<()> {
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
pub(crate) fn redirected(row: &Authorization, now: Timestamp) -> Authorization {
    Authorization {
        state: AuthorizationState::Redirected,
        expires_at: later(now, REDIRECTED),
        ..row.clone()
    }
}

/// Whether a callback may be taken, as an error where not.
pub(crate) fn returnable(row: &Authorization, now: Timestamp) -> Result<()> {
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
pub(crate) fn returned(row: &Authorization, now: Timestamp) -> Authorization {
    Authorization {
        state: AuthorizationState::Returned,
        expires_at: later(now, EXCHANGING),
        ..row.clone()
    }
}

/// The tokens are in quarantine until the application confirms.
pub(crate) fn verifying(row: &Authorization, now: Timestamp) -> Authorization {
    Authorization {
        state: AuthorizationState::Verifying,
        verifier: None,
        expires_at: later(now, VERIFYING),
        ..row.clone()
    }
}

/// The account is active.
pub(crate) fn completed(row: &Authorization) -> Authorization {
    Authorization {
        state: AuthorizationState::Completed,
        verifier: None,
        quarantine: None,
        ..row.clone()
    }
}

/// It has ended without success.
pub(crate) fn ended(row: &Authorization, state: AuthorizationState, reason: &str) -> Authorization {
    Authorization {
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::identifier::{AccountId, ConnectionId, Identifier};
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
    fn authorization(state: AuthorizationState) -> Authorization {
        Authorization {
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
            Authorization {
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
            Authorization {
                state: Redirected,
                expires_at: redirected.expires_at,
                ..from.clone()
            }
        );
        assert_eq!(
            verifying,
            Authorization {
                state: Verifying,
                verifier: None,
                expires_at: verifying.expires_at,
                ..from.clone()
            }
        );
        assert_eq!(
            completed(&from),
            Authorization {
                state: Completed,
                verifier: None,
                quarantine: None,
                ..from.clone()
            }
        );
        for end in [Denied, Expired, Failed, Superseded] {
            let expected = Authorization {
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
