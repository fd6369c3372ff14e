//! `GET` and `POST /dashboard/confirm?next=`: the password again, or another sign-in at the provider, before what cannot be
//! undone.

use axum::response::Response;
use minijinja::{Value, context};
use secrecy::ExposeSecret as _;

use super::{enter::with_provider, refused};
use crate::{
    dashboard::{
        form::Form,
        page::Page,
        session::{SignedIn, local},
    },
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "sign_in/confirm.html";

pub(super) async fn show(page: Page, member: SignedIn, mut query: Query) -> Result<Response> {
    let next = query.text("next")?;
    let next = local(next.as_deref());
    Ok(page.render(TEMPLATE, facts(&page, &member, next)))
}

pub(super) async fn submit(page: Page, member: SignedIn, form: Form) -> Result<Response> {
    let next = local(form.text("next"));
    let (id, source) = (member.session.expose_secret(), page.source());
    let stepped_up = page
        .environment
        .step_up(id, form.secret("password"), source)
        .await;
    match stepped_up {
        Ok(()) => Ok(page.redirect(next)),
        Err(error) => refused(&page, error, TEMPLATE, facts(&page, &member, next)),
    }
}

fn facts(page: &Page, member: &SignedIn, next: &str) -> Value {
    context! { has_password => member.has_password, ..with_provider(page, next) }
}
