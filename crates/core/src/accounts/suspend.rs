//! Pauses an account.

use super::transition;
use crate::{
    Result,
    context::Context,
    domain::{AccountRef, account::Trigger},
    resource,
};

/// Pauses an account; its credential is kept.
///
/// # Errors
/// [`ErrorKind::AccountNotFound`], [`ErrorKind::InvalidTransition`] for a disconnected account.
pub(crate) async fn suspend(context: &Context, of: &AccountRef) -> Result<resource::Account> {
    transition(context, of, Trigger::Suspended).await
}
