//! Ends the pause of an account.

use super::transition;
use crate::{Result, context::Context, domain::account::Trigger, resource};

/// Ends the pause of an account.
///
/// # Errors
/// [`ErrorKind::AccountNotFound`], [`ErrorKind::InvalidTransition`] where it is not suspended.
pub(crate) async fn resume(
    context: &Context,
    connection_name: &str,
    identifier: &str,
) -> Result<resource::Account> {
    transition(context, connection_name, identifier, Trigger::Resumed).await
}
