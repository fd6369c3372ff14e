//! `POST /dashboard/sign-out`.

use axum::response::Response;
use secrecy::ExposeSecret as _;

use crate::{
    dashboard::{page::Page, session::SignedIn},
    problem::Result,
};

pub(super) async fn submit(page: Page, member: SignedIn) -> Result<Response> {
    let id = member.session.expose_secret();
    page.environment.sign_out(id).await?;
    Ok(page.redirect_with("/dashboard/sign-in", page.sessions().end()))
}
