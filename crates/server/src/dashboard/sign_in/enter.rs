//! `GET` and `POST /dashboard/sign-in?next=`: email address and password.

use axum::response::Response;
use http::HeaderMap;
use minijinja::{Value, context};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::ExposeSecret as _;
use stead_core::access::{SignIn, StartedSession};

use super::refused;
use crate::{
    dashboard::{form::Form, page::Page, session::local},
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "sign_in/enter.html";

pub(super) async fn show(page: Page, headers: HeaderMap, mut query: Query) -> Result<Response> {
    let next = query.text("next")?;
    let next = local(next.as_deref());
    if let Some(id) = page.sessions().id(&headers)
        && page.environment.signed_in(id.expose_secret()).await.is_ok()
    {
        return Ok(page.redirect(next));
    }
    Ok(page.render(TEMPLATE, with_provider(&page, next)))
}

pub(super) async fn submit(page: Page, headers: HeaderMap, form: Form) -> Result<Response> {
    let next = local(form.text("next"));
    let email = form.text("email").unwrap_or_default();
    let given = SignIn::new(email, form.secret("password"), page.source())
        .device(page.sessions().device(&headers));
    match page.environment.sign_in(given).await {
        Ok(started) => Ok(go_on(&page, &started, next).await),
        Err(error) => {
            let context = context! { email, ..with_provider(&page, next) };
            refused(&page, error, TEMPLATE, context)
        }
    }
}

/// The page to open afterwards, and the provider for signing in, if there is one.
pub(super) fn with_provider(page: &Page, next: &str) -> Value {
    context! {
        next,
        provider => page.environment.sign_in_provider(),
        passwords => page.environment.takes_passwords(),
    }
}

/// Redirects to the page the browser wanted, or first to the one-time code.
pub(super) async fn go_on(page: &Page, started: &StartedSession, next: &str) -> Response {
    let cookies = page.sessions().signed_in_with(started).await;
    if !started.awaits_code {
        return page.redirect_with(next, cookies);
    }
    let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
    page.redirect_with(&format!("/dashboard/sign-in/code?next={next}"), cookies)
}
