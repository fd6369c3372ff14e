//! Reads the account of a user.

use crate::{Result, context::Context, domain::account::account_resource as view, resource};

/// The account of a user.
///
/// # Errors
/// [`ErrorKind::UnknownConnection`], [`ErrorKind::AccountNotFound`].
pub(crate) async fn read(
    context: &Context,
    connection_name: &str,
    identifier: &str,
) -> Result<resource::Account> {
    let (connection, account) = context.account_rows(connection_name, identifier).await?;
    Ok(view(&connection.row, account.row))
}
