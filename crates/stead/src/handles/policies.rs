//! Policies: which calls there may be, and which wait for a person.

use std::fmt;

#[cfg(doc)]
use stead_core::ErrorKind;
use stead_core::{
    Result,
    resource::{Policy, PolicyDecision, PolicyTest},
};

use super::backend::Shared;

/// Policies of the environment, of credentials and of MCP sessions.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// # use stead::{Platform, resource::Policy};
/// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// let policies = platform.policies();
/// let mut readers = Policy::new("readers");
/// readers.read_only = true;
/// policies.set(readers).await?;
/// assert_eq!(policies.list().await?.len(), 1);
/// policies.delete("readers").await?;
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Policies(Shared);

impl Policies {
    pub(crate) fn new(backend: Shared) -> Self {
        Self(backend)
    }

    /// Makes a policy, or replaces all rules of the one with its name. It acts within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with every place that is wrong.
    pub async fn set(&self, policy: Policy) -> Result<Policy> {
        self.0.set_policy(policy).await
    }

    /// All policies by name: there are 200 at most.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn list(&self) -> Result<Vec<Policy>> {
        Ok(self.0.policies().await?.items)
    }

    /// A policy.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn read(&self, name: &str) -> Result<Policy> {
        self.0.policy(name).await
    }

    /// Deletes a policy that no live credential and no MCP session names.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] where one names it.
    pub async fn delete(&self, name: &str) -> Result<()> {
        self.0.delete_policy(name).await
    }

    /// Says what would become of a call, and why, without making it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an unknown policy; as a call whose tool, input, method or path is wrong.
    pub async fn test(&self, test: PolicyTest) -> Result<PolicyDecision> {
        self.0.test_policy(test).await
    }
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policies").finish_non_exhaustive()
    }
}
