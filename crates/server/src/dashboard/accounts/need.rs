//! What an account waits for, who must act, and how.

use serde::Serialize;
use stead::core::{
    error::ActBy,
    resource::{Account, AccountState, Connection},
    state::{AccountHealth, AccountReason, ConnectionHealth, ConnectionState},
};

use crate::dashboard::words;

/// Something that somebody has to do before calls can be made, or all of them.
#[derive(Debug, Serialize)]
pub(super) struct Need {
    pub(super) who: &'static str,
    /// What is the matter.
    pub(super) what: &'static str,
    /// What there is to do.
    pub(super) act: &'static str,
    tone: &'static str,
}

/// What an account waits for. Its connection comes first: nothing helps while that is not right.
pub(super) fn need(account: &Account, connection: Option<&Connection>) -> Option<Need> {
    let of_connection = connection.and_then(of_connection);
    of_connection.or_else(|| of_account(account))
}

fn of_connection(connection: &Connection) -> Option<Need> {
    let (what, act) = if connection.health == ConnectionHealth::ClientRejected {
        (
            "The product refuses the connection’s client id or secret.",
            "Correct them at the connection. No user has to do anything.",
        )
    } else {
        match connection.state {
            ConnectionState::Draft => (
                "The connection has no client id or secret yet.",
                "Add those of the OAuth client that is registered at the product.",
            ),
            ConnectionState::Disabled => (
                "The connection is switched off.",
                "Switch it on at the connection. Its accounts keep their state.",
            ),
            ConnectionState::Ready => return None,
        }
    };
    Some(Need {
        who: words::act_by(ActBy::Operator),
        what,
        act,
        tone: "bad",
    })
}

fn of_account(account: &Account) -> Option<Need> {
    let user = ActBy::EndUser;
    let (who, tone, what, act) = match account.state {
        AccountState::PendingAuthorization => (
            user,
            "info",
            "The user has not connected yet.",
            "Make a link and show it to the user, who opens it and agrees.",
        ),
        AccountState::PendingVerification => (
            ActBy::AppDeveloper,
            "warn",
            "The user came back from the product. The application has yet to confirm who it was.",
            "The application confirms it with POST /v1/authorizations/{id}/verify. Without that it ends after ten minutes.",
        ),
        AccountState::NeedsReauthorization => (
            user,
            "bad",
            reason(account.reason),
            "Make a new link and show it to the user. Everything else stays as it is.",
        ),
        AccountState::Suspended => (
            ActBy::Operator,
            "info",
            "The account is paused here. Its credential is kept.",
            "Resume it as soon as calls may be made again.",
        ),
        AccountState::Disconnected => (
            user,
            "info",
            "The account has ended, and its tokens are destroyed.",
            "A new link lets the user connect again.",
        ),
        AccountState::Active if account.health == AccountHealth::Degraded => (
            ActBy::Product,
            "warn",
            "The token could not be refreshed, for a reason that passes.",
            "Wait: it is tried again by itself. Calls go on while the present token lasts.",
        ),
        AccountState::Active if !account.missing_scopes.is_empty() => (
            user,
            "warn",
            "The user has not given every permission that is asked for.",
            "Make a new link, which asks for what is missing. Calls that do not need it go on.",
        ),
        AccountState::Active => return None,
    };
    Some(Need {
        who: words::act_by(who),
        what,
        act,
        tone,
    })
}

const fn reason(reason: Option<AccountReason>) -> &'static str {
    match reason {
        Some(AccountReason::RefreshTokenMissing) => {
            "The token has ended, and the product gave none to refresh it with."
        }
        Some(AccountReason::RefreshOutcomeLost) => {
            "A refresh was cut off after the product had used up the refresh token."
        }
        Some(AccountReason::RestoredFromBackup) => {
            "The database was restored from a copy whose refresh token the product had replaced since."
        }
        Some(AccountReason::ClientChanged) => {
            "The connection has another client id than the one to which the user agreed."
        }
        _ => {
            "The product refuses the refresh token: the user, or the product, has ended the grant."
        }
    }
}
