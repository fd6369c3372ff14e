//! `POST /dashboard/approvals/{approval_id}/approve` and `…/deny`, and `/dashboard/approvals/deny` for all of a caller.

use axum::response::Response;
use stead::ErrorKind;
use stead_core::resource::{ApprovalDecision, ApproveCall, DenyCall};

use super::{LIST, list::waiting};
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn approve(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    page.environment
        .send(ApproveCall::new(&id, decision(&form)))
        .await?;
    Ok(page.redirect_done(LIST, Done::CallApproved))
}

pub(super) async fn deny(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    page.environment
        .send(DenyCall::new(&id, decision(&form)))
        .await?;
    Ok(page.redirect_done(LIST, Done::CallDenied))
}

/// Denies all pending calls of one caller.
pub(super) async fn deny_all(page: Page, form: Form) -> Result<Response> {
    let (kind, id) = (form.text("type").unwrap_or_default(), form.text("id"));
    for one in waiting(&page).await? {
        let by = &one.asked_by;
        if by.kind != kind || by.id.as_deref().unwrap_or_default() != id.unwrap_or_default() {
            continue;
        }
        let id = one.approval_id.to_string();
        let denied = page
            .environment
            .send(DenyCall::new(&id, decision(&form)))
            .await;
        // Another member decided first, or it has expired.
        if let Err(error) = denied
            && error.kind() != ErrorKind::InvalidTransition
        {
            return Err(error.into());
        }
    }
    Ok(page.redirect_done(LIST, Done::CallsDenied))
}

fn decision(form: &Form) -> ApprovalDecision {
    let mut decision = ApprovalDecision::default();
    decision.reason = form.text("reason").map(str::to_owned);
    decision
}
