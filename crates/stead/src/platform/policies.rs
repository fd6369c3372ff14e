//! Policies and approvals, in this process.

use stead_core::{
    environment::Environment,
    resource::{
        Approval, ApprovalDecision, ApprovalFilter, Page, Policy, PolicyDecision, PolicyTest,
    },
};

use crate::handles::backend::{Paging, Pending, PolicyBackend};

impl PolicyBackend for Environment {
    fn set_policy(&self, policy: Policy) -> Pending<'_, Policy> {
        Box::pin(self.set_policy(policy))
    }
    fn policies(&self) -> Pending<'_, Page<Policy>> {
        Box::pin(self.policies())
    }
    fn policy<'a>(&'a self, name: &'a str) -> Pending<'a, Policy> {
        Box::pin(self.policy(name))
    }
    fn delete_policy<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(self.delete_policy(name))
    }
    fn test_policy(&self, test: PolicyTest) -> Pending<'_, PolicyDecision> {
        Box::pin(self.test_policy(test))
    }

    fn approvals(&self, filter: ApprovalFilter, paging: Paging) -> Pending<'_, Page<Approval>> {
        Box::pin(async move {
            let (token, size) = (paging.token.as_deref(), paging.size);
            self.approvals(&filter, token, size).await
        })
    }
    fn approval<'a>(&'a self, id: &'a str) -> Pending<'a, Approval> {
        Box::pin(self.approval(id))
    }
    fn approve<'a>(&'a self, id: &'a str, decision: ApprovalDecision) -> Pending<'a, Approval> {
        Box::pin(self.approve(id, decision))
    }
    fn deny_approval<'a>(
        &'a self,
        id: &'a str,
        decision: ApprovalDecision,
    ) -> Pending<'a, Approval> {
        Box::pin(self.deny_approval(id, decision))
    }
}
