//! `GET` and `POST /dashboard/settings/credentials/{client_id}/revoke`.

use axum::response::Response;
use stead_core::resource::{DeleteAppCredential, ReadAppCredential};

use super::{super::question::Question, LIST, path};
use crate::{
    dashboard::{done::Done, page::Page},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let credential = page.environment.send(ReadAppCredential::new(&id)).await?;
    let question = Question {
        title: format!("Revoke {}?", credential.name),
        consequences: &[
            "Its secrets and all tokens issued with them stop working within a second.",
            "Stead refuses the application that uses it from then on.",
            "Connected accounts stay as they are.",
            "You can’t undo this.",
        ],
        text: "Revoke credential",
        back: path(&id),
    };
    Ok(question.ask(&page))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>) -> Result<Response> {
    page.environment.send(DeleteAppCredential::new(&id)).await?;
    Ok(page.redirect_done(LIST, Done::CredentialRevoked))
}
