//! `GET` and `POST /dashboard/confirm?next=`: asks for the password or a new sign-in at the provider, and for a
//! one-time code if the member uses them, before an action that grants access or can't be undone.

use axum::response::Response;
use minijinja::{Value, context};
use secrecy::ExposeSecret as _;
use stead_core::access::StepUp;

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
    let code = form.text("code").unwrap_or_default();
    let given = StepUp::new(form.secret("password"), code);
    let id = member.session.expose_secret();
    match page.environment.step_up(id, given).await {
        Ok(()) => Ok(page.redirect(next)),
        Err(error) => refused(&page, error, TEMPLATE, facts(&page, &member, next)),
    }
}

fn facts(page: &Page, member: &SignedIn, next: &str) -> Value {
    context! {
        has_password => member.has_password && page.environment.takes_passwords(),
        second_factor => member.second_factor,
        awaits_code => member.awaits_code,
        ..with_provider(page, next)
    }
}
