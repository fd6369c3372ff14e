//! Approvals: calls that wait for a person.

use std::{fmt, sync::Arc};

#[cfg(doc)]
use stead_core::ErrorKind;
use stead_core::{
    Result,
    resource::{Approval, ApprovalDecision, ApprovalFilter},
};

use super::{backend::Shared, list::List};

/// Calls that a policy holds until a person has approved them.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// # use stead::{Platform, resource::{ApprovalFilter, ApprovalState}};
/// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// let waiting = ApprovalFilter::in_state(ApprovalState::Pending);
/// for approval in platform.approvals().list(waiting).all().await? {
///     println!("{} wants to call {:?}", approval.asked_by.kind, approval.tool);
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Approvals(Shared);

impl Approvals {
    pub(crate) fn new(backend: Shared) -> Self {
        Self(backend)
    }

    /// Approvals, newest first, without the arguments.
    pub fn list(&self, filter: ApprovalFilter) -> List<Approval> {
        let backend = Arc::clone(&self.0);
        List::new(move |paging| {
            let (backend, filter) = (Arc::clone(&backend), filter.clone());
            Box::pin(async move { backend.approvals(filter, paging).await })
        })
    }

    /// An approval with the exact arguments of its call.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn read(&self, approval_id: &str) -> Result<Approval> {
        self.0.approval(approval_id).await
    }

    /// Lets the call be made, once, with exactly these arguments, until the approval ends.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] where it is decided or over, [`ErrorKind::Forbidden`] for
    /// who has asked.
    pub async fn approve(&self, approval_id: &str, decision: ApprovalDecision) -> Result<Approval> {
        self.0.approve(approval_id, decision).await
    }

    /// Lets the call not be made; also one that was approved and not made yet.
    ///
    /// # Errors
    /// As [`Approvals::approve`].
    pub async fn deny(&self, approval_id: &str, decision: ApprovalDecision) -> Result<Approval> {
        self.0.deny_approval(approval_id, decision).await
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").finish_non_exhaustive()
    }
}
