//! `POST /dashboard/try/{connection_name}/connect`: creates a link for the test user and opens it.

use axum::response::Response;
use stead_core::resource::NewAuthorizationLink;

use super::trial::sample;
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn connect(
    page: Page,
    Path(connection_name): Path<String>,
    _: Form,
) -> Result<Response> {
    let (trial, sample) = sample(page.trial(), &connection_name)?;
    let new = NewAuthorizationLink::new(&sample.connection_name, &trial.identifier);
    let link = page.environment.send(new).await?;
    Ok(page.redirect(&link.link))
}
