//! `POST /dashboard/sandbox/…`: adds or deletes records, sets faults, and resets the sandbox.

use axum::response::Response;
use stead::{Error, ErrorKind};
use url::form_urlencoded;

use super::control;
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    problem::Result,
};

const PATH: &str = "/dashboard/sandbox";
/// Prefix of the names of a record's own fields.
const FIELD: &str = "f.";

pub(super) async fn add(page: Page, form: Form) -> Result<Response> {
    let (user, section) = place(&form);
    let fields = form.below(FIELD).into_iter().collect();
    control(&page)?
        .add(user, section, &fields)
        .map_err(refused)?;
    Ok(page.redirect_done(&back(user, section), Done::RecordAdded))
}

pub(super) async fn delete(page: Page, form: Form) -> Result<Response> {
    let (user, section) = place(&form);
    let id = form.text("id").unwrap_or_default();
    control(&page)?.delete(user, section, id).map_err(refused)?;
    Ok(page.redirect_done(&back(user, section), Done::RecordDeleted))
}

pub(super) async fn fault(page: Page, form: Form) -> Result<Response> {
    let word = form.text("fault").unwrap_or_default();
    control(&page)?.fault(word).map_err(refused)?;
    let (user, section) = place(&form);
    Ok(page.redirect_done(&back(user, section), Done::FaultPlanned))
}

pub(super) async fn reset(page: Page, _: Form) -> Result<Response> {
    control(&page)?.reset();
    Ok(page.redirect_done(PATH, Done::SandboxReset))
}

fn place(form: &Form) -> (&str, &str) {
    let text = |name| form.text(name).unwrap_or_default();
    (text("user"), text("section"))
}

/// Path of the page with the same user and section.
fn back(user: &str, section: &str) -> String {
    let given = [("user", user), ("section", section)];
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given.into_iter().filter(|(_, value)| !value.is_empty()))
        .finish();
    match query.is_empty() {
        true => PATH.to_owned(),
        false => format!("{PATH}?{query}"),
    }
}

fn refused(why: String) -> Error {
    Error::new(ErrorKind::InvalidRequest, why)
}
