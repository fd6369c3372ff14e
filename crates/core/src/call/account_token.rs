//! What an account token is good for: raw requests as they come over HTTP, of its own account, as far as its access goes.

use crate::{
    Error, ErrorKind, Result,
    caller::{AccountToken, Caller},
    context::Snapshot,
    domain::AccountRef,
    state::TokenAccess,
    tool::Effect,
};

/// Refuses account tokens.
pub(super) fn refuse(caller: &Caller) -> Result<()> {
    match caller {
        Caller::AccountToken(_) => Err(insufficient(
            "an account token is good for the proxy only: /proxy/{connection_name}/{identifier} of its account, or the proxy host",
        )),
        _ => Ok(()),
    }
}

/// Refuses everything else.
pub(super) fn expected(caller: &Caller) -> Result<&AccountToken> {
    match caller {
        Caller::AccountToken(token) => Ok(token),
        _ => Err(insufficient(
            "the proxy host takes account tokens only, which say whose account is meant; make one with POST /v1/account-tokens",
        )),
    }
}

/// Refuses an account token where a request names another account.
pub(super) fn names(caller: &Caller, of: &AccountRef) -> Result<()> {
    match caller {
        Caller::AccountToken(token)
            if token.connection_name != of.connection || token.identifier != of.identifier =>
        {
            Err(insufficient(
                "this account token is of another connection and identifier",
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses an account token whose account was disconnected since, or erased: the one that has its names now is another.
pub(super) fn is_of(caller: &Caller, snapshot: &Snapshot) -> Result<()> {
    let account = &snapshot.account;
    match caller {
        Caller::AccountToken(token)
            if token.account_id != account.id || token.disconnections != account.disconnections =>
        {
            Err(Error::new(
                ErrorKind::Unauthenticated,
                "the account of this token was disconnected; make another token with POST /v1/account-tokens",
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses what can change something to a token that only reads.
pub(super) fn allows(caller: &Caller, effect: Effect) -> Result<()> {
    match caller {
        Caller::AccountToken(token)
            if token.access == TokenAccess::Read && effect != Effect::Read =>
        {
            Err(insufficient(
                "this account token has the access \"read\", and the request can change something",
            ))
        }
        _ => Ok(()),
    }
}

fn insufficient(message: &str) -> Error {
    Error::new(ErrorKind::InsufficientScope, message)
}
