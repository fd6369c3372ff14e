//! Refreshes the credential of an account now.

use crate::{Result, context::Context, domain::account::account_resource as view, oauth, resource};

/// Refreshes an account's credential now.
///
/// # Errors
/// As a call through the account.
pub(crate) async fn refresh(
    context: &Context,
    connection_name: &str,
    identifier: &str,
) -> Result<resource::Account> {
    let snapshot = context.reload(connection_name, identifier).await?;
    snapshot.usable()?;
    let renewed = oauth::refresh_now(context, &snapshot, oauth::RefreshReason::Asked).await?;
    Ok(view(&renewed.connection, renewed.account.clone()))
}
