//! Signing in: by password or at the provider, one-time codes, the first owner, and invitations. Also signing
//! out, and confirming the member's identity.

mod code;
mod confirm;
mod enter;
mod invitation;
mod out;
mod own;
mod provider;
#[cfg(test)]
mod provider_tests;
mod setup;
#[cfg(test)]
mod tests;

use axum::response::Response;
use http::{StatusCode, header};
use minijinja::{Value, context};
use stead::{Error, ErrorKind};

use super::{
    page::Page,
    session::Role,
    table::{PageRoute, StepUp, own_action, page},
};
use crate::{
    problem::{self, Result},
    routes::{Route, get, post},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("sign_in/code.html", include_str!("code.html")),
    ("sign_in/confirm.html", include_str!("confirm.html")),
    ("sign_in/enter.html", include_str!("enter.html")),
    ("sign_in/fields.html", include_str!("fields.html")),
    ("sign_in/invitation.html", include_str!("invitation.html")),
    ("sign_in/own.html", include_str!("own.html")),
    ("sign_in/setup.html", include_str!("setup.html")),
];

/// Routes for everyone.
pub(super) fn open_routes() -> Vec<Route> {
    vec![
        get("/dashboard/sign-in", enter::show),
        post("/dashboard/sign-in", enter::submit),
        get("/dashboard/sign-in/provider", provider::begin),
        get("/dashboard/sign-in/callback", provider::finish),
        get("/dashboard/sign-in/code", code::show),
        post("/dashboard/sign-in/code", code::submit),
        get("/dashboard/setup", setup::show),
        post("/dashboard/setup", setup::submit),
        get("/dashboard/invitation", invitation::show),
        post("/dashboard/invitation", invitation::submit),
    ]
}

/// Routes for members.
pub(super) fn member_routes() -> Vec<PageRoute> {
    vec![
        own_action("/dashboard/sign-out", StepUp::No, out::submit),
        page("/dashboard/confirm", Role::Viewer, confirm::show),
        own_action("/dashboard/confirm", StepUp::No, confirm::submit),
        page("/dashboard/you", Role::Viewer, own::show),
        own_action("/dashboard/you/password", StepUp::No, own::set_password),
        own_action(
            "/dashboard/you/second-factor",
            StepUp::First(own::PATH),
            own::enrol,
        ),
        own_action(
            "/dashboard/you/second-factor/confirm",
            StepUp::No,
            own::confirm,
        ),
        own_action(
            "/dashboard/you/second-factor/remove",
            StepUp::First(own::PATH),
            own::remove,
        ),
    ]
}

/// The form again, with its error, if the user can correct it.
fn refused(page: &Page, error: Error, template: &str, context: Value) -> Result<Response> {
    let status = match error.kind() {
        // Not 401, because that requires a challenge in the response.
        ErrorKind::Unauthenticated | ErrorKind::InvalidRequest => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::RateLimited | ErrorKind::Overloaded => problem::status(error.kind()),
        _ => return Err(error.into()),
    };
    let violation = error.violation_list().first();
    let message = violation.map_or(error.message(), |violation| violation.message.as_str());
    let field = violation.map_or("", |violation| violation.path.trim_start_matches('/'));
    let context = context! { error => message, wrong => field, ..context };
    let mut response = page.render_with(status, template, context);
    if let Some(seconds) = problem::retry_after(&error) {
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    Ok(response)
}
