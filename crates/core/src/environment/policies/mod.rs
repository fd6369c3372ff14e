//! Policies of an environment, and the approvals that they ask for.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, call, policy,
    resource::{
        Approval, ApprovalDecision, ApprovalFilter, Page, Policy, PolicyDecision, PolicyTest,
    },
};

impl Environment {
    /// Sets a policy: makes it, or replaces all rules of the one with its name. It acts within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with every place that is wrong: an unknown tool, product or kind of facts.
    pub async fn set_policy(&self, policy: Policy) -> Result<Policy> {
        policy::set(&self.0, policy).await
    }

    /// All policies by name, on one page.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn policies(&self) -> Result<Page<Policy>> {
        policy::list(&self.0).await
    }

    /// A policy.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn policy(&self, name: &str) -> Result<Policy> {
        policy::read(&self.0, name).await
    }

    /// Deletes a policy that no live credential and no MCP session names. It acts within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] where one names it.
    pub async fn delete_policy(&self, name: &str) -> Result<()> {
        policy::delete(&self.0, name).await
    }

    /// Says what policies decide on a call, and why, without making it: by those of the environment, and those that the
    /// test names.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an unknown policy, or where the test names neither a tool nor a raw request; as a
    /// call whose tool, input, method or path is wrong.
    pub async fn test_policy(&self, test: PolicyTest) -> Result<PolicyDecision> {
        call::explain(&self.0, test).await
    }

    /// Approvals, newest first, without the arguments. A page may hold fewer than `page_size` although more follow.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a page token of another list.
    pub async fn approvals(
        &self,
        filter: &ApprovalFilter,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<Approval>> {
        policy::approvals::list(&self.0, filter, page_token, page_size).await
    }

    /// An approval with the exact arguments of its call.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn approval(&self, approval_id: &str) -> Result<Approval> {
        policy::approvals::read(&self.0, approval_id).await
    }

    /// Lets the call be made, once, by who has asked, with exactly these arguments, until the approval ends.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::InvalidTransition`] where it is decided or over, [`ErrorKind::Forbidden`] for
    /// who has asked.
    pub async fn approve(&self, approval_id: &str, decision: ApprovalDecision) -> Result<Approval> {
        policy::approvals::approve(&self.0, approval_id, decision).await
    }

    /// Lets the call not be made; also one that was approved and not made yet.
    ///
    /// # Errors
    /// As [`Environment::approve`].
    pub async fn deny_approval(
        &self,
        approval_id: &str,
        decision: ApprovalDecision,
    ) -> Result<Approval> {
        policy::approvals::deny(&self.0, approval_id, decision).await
    }
}

#[cfg(test)]
mod tests;
