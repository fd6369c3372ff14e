//! `GET /dashboard/approvals?page_token=`: pending calls by caller, then all approvals, newest first.

use axum::response::Response;
use minijinja::{Value, context, value::Serde};
use stead_core::{
    api::Paging,
    resource::{Approval, ApprovalFilter, ListApprovals},
    state::ApprovalState,
};

use super::LIST;
use crate::{dashboard::page::Page, extract::Query, problem::Result};

/// Approvals on one page.
const SIZE: u32 = 50;
/// How many pending approvals to read at a time.
const WAITING: u32 = 100;

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let page_token = query.text("page_token")?;
    query.end()?;
    let filter = ApprovalFilter::default();
    let found = page.environment.send(
        ListApprovals::new()
            .filter(filter)
            .page(Paging::new(page_token.as_deref(), SIZE)),
    );
    let found = found.await?;
    let callers = match page_token {
        None => by_caller(waiting(&page).await?),
        Some(_) => Vec::new(),
    };
    let context = context! {
        own => LIST,
        callers => callers,
        rows => Serde(found.items),
        page_token => page_token,
        next_page_token => found.next_page_token,
    };
    Ok(page.render("approvals/list.html", context))
}

/// All pending approvals.
pub(super) async fn waiting(page: &Page) -> Result<Vec<Approval>> {
    let filter = ApprovalFilter::in_state(ApprovalState::Pending);
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let found = page.environment.send(
            ListApprovals::new()
                .filter(filter)
                .page(Paging::new(after.as_deref(), WAITING)),
        );
        let found = found.await?;
        all.extend(found.items);
        after = found.next_page_token;
        if after.is_none() {
            return Ok(all);
        }
    }
}

/// Calls grouped by caller, the caller of the newest call first.
fn by_caller(calls: Vec<Approval>) -> Vec<Value> {
    let mut groups: Vec<Vec<Approval>> = Vec::new();
    for call in calls {
        let group = groups.iter_mut();
        let mut same = group.filter(|group| {
            let by = group.first().map(|first| &first.asked_by);
            by == Some(&call.asked_by)
        });
        match same.next() {
            Some(group) => group.push(call),
            None => groups.push(vec![call]),
        }
    }
    let group = |calls: Vec<Approval>| {
        let by = calls.first().map(|first| first.asked_by.clone());
        context! { by => Serde(by), calls => Serde(calls) }
    };
    groups.into_iter().map(group).collect()
}
