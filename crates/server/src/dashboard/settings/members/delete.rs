//! `GET` and `POST /dashboard/settings/members/{member_id}/delete`.

use axum::response::Response;
use stead_core::resource::{DeleteMember, ReadMember};

use super::{
    super::{question::Question, refused::refused},
    LIST, path, read,
};
use crate::{
    dashboard::{done::Done, page::Page, session::SignedIn},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let found = page.environment.send(ReadMember::new(&id)).await?;
    let question = Question {
        title: format!("Delete {}?", found.email),
        consequences: &[
            "The member is signed out everywhere immediately.",
            "The audit log keeps the member’s actions under the member’s ID.",
            "To keep a member out for a while, use “Keep out” instead.",
            "You can’t undo this.",
        ],
        text: "Delete member",
        back: path(&id),
    };
    Ok(question.ask(&page))
}

pub(super) async fn submit(
    page: Page,
    member: SignedIn,
    Path(id): Path<String>,
) -> Result<Response> {
    match page.environment.send(DeleteMember::new(&id)).await {
        Ok(()) => Ok(page.redirect_done(LIST, Done::MemberDeleted)),
        Err(error) => {
            let context = read::context(&page, &member, &id).await?;
            refused(&page, error, read::TEMPLATE, context)
        }
    }
}
