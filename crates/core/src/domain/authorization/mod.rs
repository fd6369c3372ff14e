//! An authorization: one attempt to connect an account.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(crate) use crate::{
    resource::authorization::AuthorizationRow as Authorization, state::AuthorizationState,
};

use super::{Account, Connection, NewEvent, Subject};
use crate::{
    Error, ErrorKind, Result,
    digest::Digest,
    error::ActBy,
    identifier::AuthorizationId,
    sealed::{Sealed, place},
};

/// A new authorization of an account.
pub(crate) fn new_authorization(
    id: AuthorizationId,
    account: &Account,
    link: Digest,
    now: Timestamp,
    expires_at: Timestamp,
) -> Authorization {
    Authorization {
        id,
        account_id: account.id,
        connection_id: account.connection_id,
        identifier: account.identifier.clone(),
        state: AuthorizationState::Created,
        reason: None,
        product_message: None,
        link,
        oauth_state: None,
        browser: None,
        verifier: None,
        endpoints: None,
        client_epoch: 0,
        scopes: Vec::new(),
        verify_url: None,
        app_state: None,
        allow_account_switch: false,
        pending: None,
        created_at: now,
        expires_at,
        opens_until: Some(expires_at),
        by_application: None,
        extra: Default::default(),
    }
}

/// The authorization server, as configured when the browser was sent there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EndpointSnapshot {
    /// Issuer, if the product has one.
    pub(crate) issuer: Option<String>,
    /// Authorization endpoint.
    pub(crate) authorize: String,
    /// Token endpoint.
    pub(crate) token: String,
}

/// A credential that calls can't use yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PendingCredential {
    /// Generation of the credential.
    pub(crate) generation: u64,
    /// Scopes that the user granted.
    pub(crate) granted_scopes: Vec<String>,
    /// Scopes that were requested but not granted.
    pub(crate) missing_scopes: Vec<String>,
    /// The user at the product.
    pub(crate) subject: Option<Subject>,
    /// Epoch of the connection's client that it was issued to.
    #[serde(default)]
    pub(crate) client_epoch: u64,
    /// When its access token expires.
    pub(crate) token_expires_at: Option<Timestamp>,
    /// When the user needs to authorize again, if the product says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reauthorize_by: Option<Timestamp>,
}

/// Time for the browser to return from the product.
const REDIRECTED: SignedDuration = SignedDuration::from_mins(15);
/// Time to exchange the code: longer than a token request and its commit.
const EXCHANGING: SignedDuration = SignedDuration::from_mins(5);
/// Time for the application to confirm the user.
const VERIFYING: SignedDuration = SignedDuration::from_mins(10);

/// A trigger of a transition.
#[derive(Debug, Clone)]
pub(crate) enum Trigger {
    /// A browser opens the link, is tied to it, and is sent to the product.
    Started(Box<Start>),
    /// The browser returns, and the state is consumed.
    Returned,
    /// The code was exchanged. The tokens are stored but not confirmed.
    Exchanged(PendingCredential),
    /// The user is confirmed.
    Confirmed,
    /// It ends without success.
    Ended(End, Why),
}

/// Why an authorization ends without success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Why {
    reason: String,
    product_message: Option<String>,
}

impl Why {
    /// A reason, with the product's message if the error has one.
    pub(crate) fn of(reason: &str, error: &Error) -> Self {
        let said = error.context().get("product_message");
        let said = said.and_then(Value::as_str).filter(|said| !said.is_empty());
        Self {
            product_message: said.map(str::to_owned),
            ..Self::from(reason)
        }
    }
}

impl From<&str> for Why {
    fn from(reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            product_message: None,
        }
    }
}

/// Secrets that tie a browser to a link.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) oauth_state: Digest,
    pub(crate) browser: Digest,
    pub(crate) endpoints: EndpointSnapshot,
    pub(crate) client_epoch: u64,
    pub(crate) verifier: Option<Sealed<place::Verifier>>,
}

/// How an authorization ends without success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Denied,
    Expired,
    Failed,
    Superseded,
}

/// The changed authorization and its event. `None` if nothing changes.
pub(crate) type Transition = Result<Option<(Authorization, &'static str)>>;

impl Authorization {
    /// Whether no one has opened the link yet.
    pub(crate) fn is_unopened(&self) -> bool {
        self.state == AuthorizationState::Created
    }

    /// Whether the browser has returned but its code isn't exchanged yet.
    pub(crate) fn is_returned(&self) -> bool {
        self.state == AuthorizationState::Returned
    }

    /// Whether the user was confirmed.
    pub(crate) fn is_completed(&self) -> bool {
        self.state == AuthorizationState::Completed
    }

    /// Whether the application still needs to confirm the user.
    pub(crate) fn is_verifying(&self) -> bool {
        self.state == AuthorizationState::Verifying
    }

    /// Whether it sent a browser to the product with a different client than the connection has now. Such an
    /// authorization can't complete.
    pub(crate) fn is_of_other_client(&self, connection: &Connection) -> bool {
        use AuthorizationState as State;
        self.client_epoch != connection.client_epoch
            && matches!(
                self.state,
                State::Redirected | State::Returned | State::Verifying
            )
    }

    /// All transitions of an authorization.
    pub(crate) fn on(&self, trigger: Trigger, now: Timestamp) -> Transition {
        use AuthorizationState as State;
        Ok(Some(match (trigger, self.state) {
            (Trigger::Started(start), State::Created | State::Redirected) => {
                self.openable(now)?;
                let next = Self {
                    state: State::Redirected,
                    oauth_state: Some(start.oauth_state),
                    browser: Some(start.browser),
                    endpoints: Some(start.endpoints),
                    client_epoch: start.client_epoch,
                    verifier: start.verifier.or_else(|| self.verifier.clone()),
                    expires_at: later(now, REDIRECTED),
                    ..self.clone()
                };
                (next, "authorization.redirected")
            }
            (Trigger::Started(_), _) => return self.openable(now).map(|()| None),
            (Trigger::Returned, State::Redirected) => {
                self.returnable(now)?;
                let next = Self {
                    state: State::Returned,
                    expires_at: later(now, EXCHANGING),
                    ..self.clone()
                };
                (next, "authorization.returned")
            }
            (Trigger::Returned, _) => return self.returnable(now).map(|()| None),
            (Trigger::Exchanged(pending), State::Returned) => {
                let next = Self {
                    state: State::Verifying,
                    verifier: None,
                    pending: Some(pending),
                    expires_at: later(now, VERIFYING),
                    ..self.clone()
                };
                (next, "authorization.verifying")
            }
            (Trigger::Exchanged(_), _) => return Err(expired()),
            (Trigger::Confirmed, State::Verifying) => {
                let next = Self {
                    state: State::Completed,
                    verifier: None,
                    app_state: None,
                    pending: None,
                    ..self.clone()
                };
                (next, "authorization.completed")
            }
            (Trigger::Confirmed, State::Completed) => return Ok(None),
            (Trigger::Confirmed, State::Expired) => return Err(expired()),
            (Trigger::Confirmed, _) => return Err(not_verifying()),
            (
                Trigger::Ended(..),
                State::Completed
                | State::Denied
                | State::Expired
                | State::Failed
                | State::Superseded,
            ) => return Ok(None),
            (Trigger::Ended(end, why), _) => {
                let (state, event) = match end {
                    End::Denied => (State::Denied, "authorization.denied"),
                    End::Expired => (State::Expired, "authorization.failed"),
                    End::Failed => (State::Failed, "authorization.failed"),
                    End::Superseded => (State::Superseded, "authorization.superseded"),
                };
                let next = Self {
                    state,
                    reason: Some(why.reason),
                    product_message: why.product_message,
                    verifier: None,
                    app_state: None,
                    pending: None,
                    ..self.clone()
                };
                (next, event)
            }
        }))
    }

    /// Fails if the link can't be opened any more.
    pub(crate) fn openable(&self, now: Timestamp) -> Result<()> {
        use AuthorizationState as State;
        let until = self.opens_until.unwrap_or(self.expires_at);
        match self.state {
            State::Created | State::Redirected if until.min(self.expires_at) <= now => {
                Err(expired())
            }
            State::Created | State::Redirected => Ok(()),
            State::Expired => Err(expired()),
            State::Returned | State::Verifying | State::Completed => Err(Error::new(
                ErrorKind::AuthorizationConsumed,
                "this link was already used; ask for a new one",
            )),
            State::Denied | State::Failed | State::Superseded => Err(Error::new(
                ErrorKind::AuthorizationConsumed,
                "this link failed and can't be used again; ask for a new one",
            )),
        }
    }

    /// Fails if the browser's return can't be accepted.
    pub(crate) fn returnable(&self, now: Timestamp) -> Result<()> {
        match self.state {
            AuthorizationState::Redirected if self.expires_at <= now => Err(expired()),
            AuthorizationState::Redirected => Ok(()),
            AuthorizationState::Expired => Err(expired()),
            _ => Err(returned_before()),
        }
    }

    /// An event about it.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        let data = json!({
            "authorization_id": self.id,
            "identifier": self.identifier,
            "status": self.state,
            "reason": self.reason,
        });
        NewEvent::new(name, data).of_account(self.account_id, self.connection_id)
    }
}

pub(crate) fn expired() -> Error {
    Error::new(
        ErrorKind::AuthorizationExpired,
        "the link has expired; ask for a new one",
    )
}

/// Reason for ending authorizations and accounts when their connection gets a different client or host.
pub(crate) const CLIENT_CHANGED: &str = "client_changed";

pub(crate) fn client_changed() -> Error {
    Error::new(
        ErrorKind::AuthorizationExpired,
        "the connection's client changed after the link was opened; ask for a new link",
    )
    .with_context("reason", CLIENT_CHANGED)
}

pub(crate) fn not_verifying() -> Error {
    Error::new(
        ErrorKind::AuthorizationNotFound,
        "no authorization with this id is waiting for confirmation",
    )
    .with_act_by(ActBy::AppDeveloper)
}

pub(crate) fn returned_before() -> Error {
    Error::new(
        ErrorKind::AuthorizationConsumed,
        "this callback from the product was already handled",
    )
}

fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
