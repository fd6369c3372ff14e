//! The members of the dashboard.

use std::{fmt, sync::Arc};

#[cfg(doc)]
use stead_core::ErrorKind;
use stead_core::{
    Result,
    resource::{IssuedMemberLink, Member, MemberChange, MemberReset, NewMember},
};

use super::{backend::Shared, list::List};

/// People who may sign in to the dashboard, and what each may do.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// # use stead::{Platform, resource::{MemberChange, NewMember, Role}};
/// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// let members = platform.members();
/// let invited = members.invite(NewMember::new("ada@example.com", Role::Operator)).await?;
/// let id = invited.member.member_id.to_string();
/// // What Ada opens in a browser is in `invited.link`.
/// members.change(&id, MemberChange::default().role(Role::Viewer)).await?;
/// members.delete(&id).await?;
/// assert!(members.list().all().await?.is_empty());
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Members(Shared);

impl Members {
    pub(crate) fn new(backend: Shared) -> Self {
        Self(backend)
    }

    /// Adds a member who has no password yet. The response holds the link that sets one, once and for 24 hours.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with the places, [`ErrorKind::AlreadyExists`] for an e-mail address that a member has.
    pub async fn invite(&self, new: NewMember) -> Result<IssuedMemberLink> {
        self.0.invite_member(new).await
    }

    /// All members, in the order of their creation.
    pub fn list(&self) -> List<Member> {
        let backend = Arc::clone(&self.0);
        List::new(move |paging| {
            let backend = Arc::clone(&backend);
            Box::pin(async move { backend.members(paging).await })
        })
    }

    /// One member.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn read(&self, id: &str) -> Result<Member> {
        self.0.member(id).await
    }

    /// Changes a member's name and role, or keeps the member out; at once in every open session.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] for the last active owner.
    pub async fn change(&self, id: &str, change: MemberChange) -> Result<Member> {
        self.0.change_member(id, change).await
    }

    /// Removes a member's password and ends the sessions. The response holds the link that sets another one, once and for
    /// 24 hours.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] for a member who is disabled.
    pub async fn reset(&self, id: &str, how: MemberReset) -> Result<IssuedMemberLink> {
        self.0.reset_member(id, how).await
    }

    /// Deletes a member; open sessions end at once.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] for the last active owner.
    pub async fn delete(&self, id: &str) -> Result<()> {
        self.0.delete_member(id).await
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Members").finish_non_exhaustive()
    }
}
