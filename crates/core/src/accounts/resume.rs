//! Ends the pause of an account.

use super::transition;
use crate::{
    Result,
    context::Context,
    domain::{AccountRef, account::Trigger},
    resource,
};

/// Ends the pause of an account.
///
/// # Errors
/// [`ErrorKind::AccountNotFound`], [`ErrorKind::InvalidTransition`] where it is not suspended.
pub(crate) async fn resume(context: &Context, of: &AccountRef) -> Result<resource::Account> {
    transition(context, of, Trigger::Resumed).await
}
