//! Whether a connection and an account can be called, and who needs to act if not.

use super::{Account, Connection, scopes::authorization_request};
use crate::{
    Error, ErrorKind, Result,
    identifier::Identifier,
    product::Product,
    state::{AccountState, ConnectionState},
};

/// Rejects a connection that can't be called.
pub(crate) fn connection_ready(connection: &Connection) -> Result<()> {
    let why = match connection.state {
        ConnectionState::Ready => return Ok(()),
        ConnectionState::Draft => "has no client id or secret yet",
        ConnectionState::Disabled => "is disabled",
    };
    Err(Error::new(
        ErrorKind::ConnectionNotReady,
        format!("the connection {} {why}", connection.name),
    ))
}

/// Rejects an account that can't be called now.
pub(crate) fn account_ready(
    product: &Product,
    connection: &Connection,
    account: &Account,
) -> Result<()> {
    connection_ready(connection)?;
    let why = match account.state {
        AccountState::Active if account.is_of_client(connection) => return Ok(()),
        AccountState::Active => {
            let account = account.clone().through(connection);
            let why = "needs to authorize again";
            return Err(authorization_required(product, connection, &account, why));
        }
        AccountState::PendingAuthorization => "hasn't authorized yet",
        AccountState::NeedsReauthorization => "needs to authorize again",
        AccountState::Disconnected => "is disconnected",
        AccountState::PendingVerification => {
            return Err(Error::new(
                ErrorKind::VerificationRequired,
                "the user came back, but isn't confirmed yet; call POST /v1/authorizations/{id}/verify",
            ));
        }
        AccountState::Suspended => {
            return Err(Error::new(
                ErrorKind::AccountSuspended,
                "the account is suspended; resume it first",
            ));
        }
    };
    Err(authorization_required(product, connection, account, why))
}

/// The error for a user who needs to open a link.
pub(crate) fn authorization_required(
    product: &Product,
    connection: &Connection,
    account: &Account,
    why: &str,
) -> Error {
    let error = Error::new(
        ErrorKind::AuthorizationRequired,
        format!("the user {why}; create an authorization link and show it to the user"),
    )
    .with_context("connection_name", connection.name.as_str())
    .with_context("identifier", account.identifier.as_str())
    .with_context("state", account.state.name())
    .with_authorization_request(authorization_request(
        product,
        connection,
        &account.identifier,
        &account.granted_scopes,
        &[],
    ));
    let reason = account
        .reason
        .and_then(|reason| serde_json::to_value(reason).ok());
    match reason.as_ref().and_then(|reason| reason.as_str()) {
        Some(reason) => error.with_context("reason", reason),
        None => error,
    }
}

/// The same error for a user without an account.
pub(crate) fn never_authorized(
    product: &Product,
    connection: &Connection,
    identifier: &Identifier,
) -> Error {
    let request = authorization_request(product, connection, identifier, &[], &[]);
    Error::new(
        ErrorKind::AuthorizationRequired,
        "this user isn't connected yet; create a link with POST /v1/authorization-links and show it to the user",
    )
    .with_context("connection_name", connection.name.as_str())
    .with_context("identifier", identifier.as_str())
    .with_authorization_request(request)
}
