//! Refreshes the credential of an account now.

use crate::{
    Result,
    context::Context,
    domain::{AccountRef, account::account_resource as view},
    oauth, resource,
};

/// Refreshes an account's credential now.
///
/// # Errors
/// As a call through the account.
pub(crate) async fn refresh(context: &Context, of: &AccountRef) -> Result<resource::Account> {
    let snapshot = context.reload(of).await?;
    snapshot.usable()?;
    let renewed = oauth::refresh_now(context, &snapshot, oauth::RefreshReason::Asked).await?;
    Ok(view(&renewed.connection, renewed.account.clone()))
}
