//! A page of the settings, and a refused form: its page again, with the errors at their fields.

use std::collections::BTreeMap;

use axum::response::Response;
use http::StatusCode;
use minijinja::{Value, context};
use stead::{Error, ErrorKind};

use crate::{
    dashboard::page::Page,
    problem::{self, Result},
};

/// A page of the settings.
pub(super) fn render(page: &Page, name: &str, given: Value) -> Response {
    // Templates expect `errors`, which is empty unless a form was rejected.
    let context = context! { ..given, ..context! { errors => context! {} } };
    page.render(name, context)
}

/// The page again, if the user can correct the error. `given` is the rest of the page's context.
pub(super) fn refused(page: &Page, error: Error, template: &str, given: Value) -> Result<Response> {
    let status = match error.kind() {
        ErrorKind::InvalidRequest => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::AlreadyExists
        | ErrorKind::InvalidTransition
        | ErrorKind::UnknownConnection
        | ErrorKind::KeyUnavailable => problem::status(error.kind()),
        _ => return Err(error.into()),
    };
    let mut errors = BTreeMap::new();
    for violation in error.violation_list() {
        let field = violation.path.split('/').nth(1).unwrap_or_default();
        errors
            .entry(field.to_owned())
            .or_insert_with(|| violation.message.clone());
    }
    let message = match errors.is_empty() {
        true => error.message(),
        false => "Correct the marked fields.",
    };
    let context = context! { error => message, errors => errors, ..given };
    Ok(page.render_with(status, template, context))
}
