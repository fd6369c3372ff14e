//! Pauses an account.

use super::transition;
use crate::{Result, context::Context, domain::account::Trigger, resource};

/// Pauses an account; its credential is kept.
///
/// # Errors
/// [`ErrorKind::AccountNotFound`], [`ErrorKind::InvalidTransition`] for a disconnected account.
pub(crate) async fn suspend(
    context: &Context,
    connection_name: &str,
    identifier: &str,
) -> Result<resource::Account> {
    transition(context, connection_name, identifier, Trigger::Suspended).await
}
