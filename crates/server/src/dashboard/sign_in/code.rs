//! `GET` and `POST /dashboard/sign-in/code?next=`: the one-time code.

use axum::response::Response;
use http::HeaderMap;
use minijinja::context;
use secrecy::ExposeSecret as _;
use stead::{Error, ErrorKind};

use super::{enter::go_on, refused};
use crate::{
    dashboard::{form::Form, page::Page, session::local},
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "sign_in/code.html";

pub(super) async fn show(page: Page, mut query: Query) -> Result<Response> {
    let next = query.text("next")?;
    let next = local(next.as_deref());
    Ok(page.render(TEMPLATE, context! { next }))
}

pub(super) async fn submit(page: Page, headers: HeaderMap, form: Form) -> Result<Response> {
    let next = local(form.text("next"));
    let code = form.text("code").unwrap_or_default();
    let missing = || {
        Error::new(
            ErrorKind::Unauthenticated,
            "your sign-in expired; sign in with your password again",
        )
    };
    let confirmed = match page.sessions().id(&headers) {
        Some(id) => {
            let (id, source) = (id.expose_secret(), page.source());
            let device = page.sessions().device(&headers);
            page.environment
                .confirm_sign_in(id, code, source, device)
                .await
        }
        None => Err(missing()),
    };
    match confirmed {
        Ok(started) => Ok(go_on(&page, &started, next).await),
        Err(error) => refused(&page, error, TEMPLATE, context! { next }),
    }
}
