//! Reads the account of a user.

use crate::{
    Result,
    context::Context,
    domain::{AccountRef, account::account_resource as view},
    resource,
};

/// The account of a user.
///
/// # Errors
/// [`ErrorKind::UnknownConnection`], [`ErrorKind::AccountNotFound`].
pub(crate) async fn read(context: &Context, of: &AccountRef) -> Result<resource::Account> {
    let (connection, account) = context.account_rows(of).await?;
    Ok(view(&connection.row, account.row))
}
