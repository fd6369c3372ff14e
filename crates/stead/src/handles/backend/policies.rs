//! The part of a backend that is about policies and approvals.

use stead_core::resource::{
    Approval, ApprovalDecision, ApprovalFilter, Page, Policy, PolicyDecision, PolicyTest,
};

use super::{Paging, Pending};

/// Policies and approvals of the platform or the service.
pub(crate) trait PolicyBackend {
    fn set_policy(&self, policy: Policy) -> Pending<'_, Policy>;
    fn policies(&self) -> Pending<'_, Page<Policy>>;
    fn policy<'a>(&'a self, name: &'a str) -> Pending<'a, Policy>;
    fn delete_policy<'a>(&'a self, name: &'a str) -> Pending<'a, ()>;
    fn test_policy(&self, test: PolicyTest) -> Pending<'_, PolicyDecision>;

    fn approvals(&self, filter: ApprovalFilter, paging: Paging) -> Pending<'_, Page<Approval>>;
    fn approval<'a>(&'a self, id: &'a str) -> Pending<'a, Approval>;
    fn approve<'a>(&'a self, id: &'a str, decision: ApprovalDecision) -> Pending<'a, Approval>;
    fn deny_approval<'a>(
        &'a self,
        id: &'a str,
        decision: ApprovalDecision,
    ) -> Pending<'a, Approval>;
}
