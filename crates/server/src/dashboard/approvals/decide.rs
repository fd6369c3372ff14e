//! `POST /dashboard/approvals/{approval_id}/approve` and `…/deny`.

use axum::response::Response;
use stead::core::resource::ApprovalDecision;

use super::LIST;
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn approve(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    page.environment.approve(&id, decision(&form)).await?;
    Ok(page.redirect_done(LIST, Done::CallApproved))
}

pub(super) async fn deny(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    page.environment.deny_approval(&id, decision(&form)).await?;
    Ok(page.redirect_done(LIST, Done::CallDenied))
}

fn decision(form: &Form) -> ApprovalDecision {
    let mut decision = ApprovalDecision::default();
    decision.reason = form.text("reason").map(str::to_owned);
    decision
}
