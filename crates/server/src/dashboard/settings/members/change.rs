//! `POST /dashboard/settings/members/{member_id}/change`: name and role.

use axum::response::Response;
use stead_core::resource::{ChangeMember, MemberChange};

use super::{super::refused::refused, invite::read_role, path, read};
use crate::{
    dashboard::{done::Done, form::Form, page::Page, session::SignedIn},
    extract::Path,
    problem::Result,
};

pub(super) async fn submit(
    page: Page,
    member: SignedIn,
    Path(id): Path<String>,
    form: Form,
) -> Result<Response> {
    let change = read_role(form.text("role").unwrap_or_default()).map(|role| {
        MemberChange::default()
            .name(form.text("name").unwrap_or_default())
            .role(role)
    });
    apply(&page, &member, &id, change, Done::MemberChanged).await
}

/// Changes the member, and leads to the page that says so; the last active owner stays one.
pub(super) async fn apply(
    page: &Page,
    member: &SignedIn,
    id: &str,
    change: Result<MemberChange, stead::Error>,
    done: Done,
) -> Result<Response> {
    let changed = match change {
        Ok(change) => page.environment.send(ChangeMember::new(id, change)).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(page.redirect_done(&path(id), done)),
        Err(error) => {
            let context = read::context(page, member, id).await?;
            refused(page, error, read::TEMPLATE, context)
        }
    }
}
