//! `GET` and `POST /dashboard/settings/credentials/{client_id}/secrets/{secret_id}/revoke`.

use axum::response::Response;
use stead::{Error, ErrorKind};
use stead_core::resource::{ReadAppCredential, RevokeAppSecret};

use super::{super::question::Question, path};
use crate::{
    dashboard::{done::Done, page::Page},
    extract::{Path, Query},
    problem::Result,
};

type Ids = Path<(String, String)>;

pub(super) async fn show(page: Page, Path((id, secret_id)): Ids, query: Query) -> Result<Response> {
    query.end()?;
    let credential = page.environment.send(ReadAppCredential::new(&id)).await?;
    let secret = credential
        .secrets
        .iter()
        .find(|one| one.secret_id == secret_id);
    let secret = secret.ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            "this credential no longer has this secret",
        )
    })?;
    let ends_with = secret.ends_with.as_ref().unwrap_or(&secret.secret_id);
    let question = Question {
        title: format!("Revoke the secret …{ends_with}?"),
        consequences: &[
            "It stops working immediately, with all tokens issued with it.",
            "The other secret stays and doesn’t expire.",
            "You can’t undo this.",
        ],
        text: "Revoke secret",
        back: path(&id),
    };
    Ok(question.ask(&page))
}

pub(super) async fn submit(page: Page, Path((id, secret_id)): Ids) -> Result<Response> {
    page.environment
        .send(RevokeAppSecret::new(&id, &secret_id))
        .await?;
    Ok(page.redirect_done(&path(&id), Done::SecretRevoked))
}
