//! `GET` and `POST /dashboard/settings/credentials/{client_id}/rotate`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead::Error;
use stead_core::resource::{ReadAppCredential, RotateAppCredential, SecretRotation};

use super::{
    super::{refused::refused, sections::render},
    show_secret,
};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::{Path, Query},
    problem::Result,
};

const TEMPLATE: &str = "settings/credentials/rotate.html";

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let credential = page.environment.send(ReadAppCredential::new(&id)).await?;
    Ok(render(
        &page,
        TEMPLATE,
        context! { credential => Serde(credential) },
    ))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    let credential = page.environment.send(ReadAppCredential::new(&id)).await?;
    let seconds = form.text("old_expires_in").unwrap_or_default();
    let rotated = match seconds.parse() {
        Ok(seconds) => {
            let rotation = SecretRotation::default().old_expires_in(seconds);
            page.environment
                .send(RotateAppCredential::new(&id, rotation))
                .await
        }
        Err(_) => Err(Error::invalid_at(
            "/old_expires_in",
            "Choose an option from the list.",
        )),
    };
    match rotated {
        Ok(issued) => Ok(show_secret(&page, &issued, false)),
        Err(error) => refused(
            &page,
            error,
            TEMPLATE,
            context! { credential => Serde(credential) },
        ),
    }
}
