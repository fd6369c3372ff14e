//! The need of an account whose calls don't work: the problem, who needs to act, and how.

use serde::Serialize;
use stead_core::{
    error::ActBy,
    resource::{Account, AccountState, Connection},
    state::{AccountHealth, AccountReason, ConnectionHealth, ConnectionState},
};

use crate::dashboard::words;

/// Something that someone needs to do before all calls work.
#[derive(Debug, Serialize)]
pub(super) struct Need {
    pub(super) who: &'static str,
    /// The problem.
    pub(super) what: &'static str,
    /// How to fix it.
    pub(super) act: &'static str,
    tone: &'static str,
}

/// The next thing that an account needs. Problems of its connection come first, because nothing else helps until
/// they're fixed.
pub(super) fn need(account: &Account, connection: Option<&Connection>) -> Option<Need> {
    let of_connection = connection.and_then(of_connection);
    of_connection.or_else(|| of_account(account))
}

fn of_connection(connection: &Connection) -> Option<Need> {
    let (what, act) = if connection.health == ConnectionHealth::ClientRejected {
        (
            "The product rejects the connection’s client ID or secret.",
            "Correct them on the connection’s page. Users don’t have to do anything.",
        )
    } else {
        match connection.state {
            ConnectionState::Draft => (
                "The connection has no client ID or secret yet.",
                "On the connection’s page, enter those of your OAuth client at the product.",
            ),
            ConnectionState::Disabled => (
                "The connection is disabled.",
                "Enable it on the connection’s page. Its accounts keep their state.",
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
            "The user hasn’t connected yet.",
            "Create a link and send it to the user. The user opens it and consents.",
        ),
        AccountState::PendingVerification => (
            ActBy::AppDeveloper,
            "warn",
            "The user consented, but your application hasn’t confirmed the user yet.",
            "Confirm it with POST /v1/authorizations/{id}/verify within ten minutes. After that, the consent expires.",
        ),
        AccountState::NeedsReauthorization => (
            user,
            "bad",
            reason(account.reason),
            "Create a new link and send it to the user. Everything else stays as it is.",
        ),
        AccountState::Suspended => (
            ActBy::Operator,
            "info",
            "The account is suspended. Stead keeps its tokens.",
            "Resume it to allow calls again.",
        ),
        AccountState::Disconnected => (
            user,
            "info",
            "The account is disconnected, and its tokens are deleted.",
            "To reconnect, send the user a new link.",
        ),
        AccountState::Active if account.health == AccountHealth::Degraded => (
            ActBy::Product,
            "warn",
            "Stead couldn’t refresh the token. The cause is temporary.",
            "Wait. Stead retries automatically, and calls work until the current token expires.",
        ),
        AccountState::Active if !account.missing_scopes.is_empty() => (
            user,
            "warn",
            "The user hasn’t granted all requested permissions.",
            "Create a new link to request what’s missing. Calls that don’t need it still work.",
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
            "The token has expired, and the product issued no refresh token."
        }
        Some(AccountReason::RefreshOutcomeLost) => {
            "A refresh was interrupted after the product had already used up the refresh token."
        }
        Some(AccountReason::RestoredFromBackup) => {
            "The database was restored from a backup, and the product has replaced the refresh token since then."
        }
        Some(AccountReason::ClientChanged) => {
            "The connection’s client ID has changed since the user consented."
        }
        _ => {
            "The product rejects the refresh token, because the user or the product revoked the consent."
        }
    }
}
