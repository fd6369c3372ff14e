//! Restrictions of account tokens: only raw requests over HTTP, only for their own accounts, and only with their
//! access.

use crate::{
    Error, ErrorKind, Result,
    caller::{AccountToken, Caller, TokenAccount},
    context::{Context, Snapshot},
    domain::AccountRef,
    proxy,
    state::TokenAccess,
    tool::Effect,
};

/// Rejects account tokens.
pub(super) fn refuse(caller: &Caller) -> Result<()> {
    match caller {
        Caller::AccountToken(_) => Err(insufficient(
            "an account token works only for raw requests, at /proxy/{connection_name}/{identifier} of its accounts or at the proxy host",
        )),
        _ => Ok(()),
    }
}

/// The account of a request at the proxy host. It's the one whose product has a route for the path.
pub(super) fn of_path<'a>(
    context: &Context,
    token: &'a AccountToken,
    path_and_query: &str,
) -> Result<&'a TokenAccount> {
    let has_route = |account: &&TokenAccount| {
        let endpoints = context.products.endpoints(&account.product);
        endpoints.is_ok_and(|found| proxy::has_route(&found.product.proxy, path_and_query))
    };
    let found = match token.accounts.as_slice() {
        [only] => Some(only),
        // Without a match, the first account's product reports that it has no such path.
        several => several.iter().find(has_route).or(several.first()),
    };
    found.ok_or_else(disconnected)
}

/// Rejects all other callers.
pub(super) fn expected(caller: &Caller) -> Result<&AccountToken> {
    match caller {
        Caller::AccountToken(token) => Ok(token),
        _ => Err(insufficient(
            "the proxy host accepts only account tokens, because the token says who the user is; create one with POST /v1/account-tokens",
        )),
    }
}

/// Rejects an account token if the request is for a different account.
pub(super) fn names(caller: &Caller, of: &AccountRef) -> Result<()> {
    match caller {
        Caller::AccountToken(token)
            if token.at(&of.connection).is_none() || token.identifier != of.identifier =>
        {
            Err(insufficient(
                "this account token is for other connections or another identifier",
            ))
        }
        _ => Ok(()),
    }
}

/// Rejects an account token if its account has been disconnected or erased. A later account with the same names is a
/// different one.
pub(super) fn is_of(caller: &Caller, snapshot: &Snapshot) -> Result<()> {
    let Caller::AccountToken(token) = caller else {
        return Ok(());
    };
    let now = (snapshot.account.id, snapshot.account.disconnections);
    let mut accounts = token.accounts.iter();
    match accounts.any(|one| (one.account_id, one.disconnections) == now) {
        true => Ok(()),
        false => Err(disconnected()),
    }
}

fn disconnected() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "the account of this token was disconnected; create a new token with POST /v1/account-tokens",
    )
}

/// Rejects requests that can change something if the token is read-only.
pub(super) fn allows(caller: &Caller, effect: Effect) -> Result<()> {
    match caller {
        Caller::AccountToken(token)
            if token.access == TokenAccess::Read && effect != Effect::Read =>
        {
            Err(insufficient(
                "this account token has the access \"read\", but the request can change something",
            ))
        }
        _ => Ok(()),
    }
}

fn insufficient(message: &str) -> Error {
    Error::new(ErrorKind::InsufficientScope, message)
}
