//! `POST /dashboard/settings/members/{member_id}/disable` and `…/enable`.

use axum::response::Response;
use stead_core::resource::MemberChange;

use super::change::apply;
use crate::{
    dashboard::{done::Done, page::Page, session::SignedIn},
    extract::Path,
    problem::Result,
};

pub(super) async fn disable(
    page: Page,
    member: SignedIn,
    Path(id): Path<String>,
) -> Result<Response> {
    let change = MemberChange::default().disabled(true);
    apply(&page, &member, &id, Ok(change), Done::MemberDisabled).await
}

pub(super) async fn enable(
    page: Page,
    member: SignedIn,
    Path(id): Path<String>,
) -> Result<Response> {
    let change = MemberChange::default().disabled(false);
    apply(&page, &member, &id, Ok(change), Done::MemberEnabled).await
}
