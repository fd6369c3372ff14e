//! Policies and approvals, as requests to a service.

use http::Method;
use stead_core::{
    Result,
    resource::{
        Approval, ApprovalDecision, ApprovalFilter, Page, Policy, PolicyDecision, PolicyTest,
    },
};

use super::{
    response,
    service::{Outgoing, Service, segment},
};
use crate::handles::backend::{Paging, Pending, PolicyBackend};

fn policy_path(name: &str) -> String {
    format!("/v1/policies/{}", segment(name))
}

fn approval_path(id: &str) -> String {
    format!("/v1/approvals/{}", segment(id))
}

async fn decide(
    service: &Service,
    id: &str,
    verb: &str,
    decision: ApprovalDecision,
) -> Result<Approval> {
    let path = format!("{}/{verb}", approval_path(id));
    let request = Outgoing::json(Method::POST, &path, &decision)?;
    service.read(request.may_write()).await
}

impl PolicyBackend for Service {
    fn set_policy(&self, policy: Policy) -> Pending<'_, Policy> {
        Box::pin(async move {
            let path = policy_path(&policy.name);
            self.read(Outgoing::json(Method::PUT, &path, &policy)?)
                .await
        })
    }
    fn policies(&self) -> Pending<'_, Page<Policy>> {
        Box::pin(self.read(Outgoing::new(Method::GET, "/v1/policies")))
    }
    fn policy<'a>(&'a self, name: &'a str) -> Pending<'a, Policy> {
        Box::pin(async move {
            let request = Outgoing::new(Method::GET, &policy_path(name));
            self.read(request).await
        })
    }
    fn delete_policy<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            let request = Outgoing::new(Method::DELETE, &policy_path(name));
            response::done(&self.send(request).await?)
        })
    }
    fn test_policy(&self, test: PolicyTest) -> Pending<'_, PolicyDecision> {
        Box::pin(async move {
            let request = Outgoing::json(Method::POST, "/v1/policies/test", &test)?;
            self.read(request).await
        })
    }

    fn approvals(&self, filter: ApprovalFilter, paging: Paging) -> Pending<'_, Page<Approval>> {
        Box::pin(async move {
            let filter = [("state", filter.state.map(|state| state.name()))];
            self.read_paged("/v1/approvals", &filter, &paging).await
        })
    }
    fn approval<'a>(&'a self, id: &'a str) -> Pending<'a, Approval> {
        Box::pin(async move {
            let request = Outgoing::new(Method::GET, &approval_path(id));
            self.read(request).await
        })
    }
    fn approve<'a>(&'a self, id: &'a str, decision: ApprovalDecision) -> Pending<'a, Approval> {
        Box::pin(decide(self, id, "approve", decision))
    }
    fn deny_approval<'a>(
        &'a self,
        id: &'a str,
        decision: ApprovalDecision,
    ) -> Pending<'a, Approval> {
        Box::pin(decide(self, id, "deny", decision))
    }
}
