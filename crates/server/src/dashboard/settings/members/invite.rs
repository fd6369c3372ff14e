//! `GET /dashboard/settings/members/new` and `POST /dashboard/settings/members`.

use axum::response::Response;
use minijinja::{Value, context};
use stead::Error;
use stead_core::resource::{NewMember, Role};

use super::{
    super::{refused::refused, sections::render},
    ROLES, show_link,
};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "settings/members/invite.html";

pub(super) async fn show(page: Page, query: Query) -> Result<Response> {
    query.end()?;
    Ok(render(&page, TEMPLATE, context("", "", "viewer")))
}

pub(super) async fn submit(page: Page, form: Form) -> Result<Response> {
    let field = |name| form.text(name).unwrap_or_default();
    let (email, name, role) = (field("email"), field("name"), field("role"));
    let invited = match read_role(role) {
        Ok(role) => {
            let new = NewMember::new(email, role).name(name);
            page.environment.send(new).await
        }
        Err(error) => Err(error),
    };
    match invited {
        Ok(issued) => Ok(show_link(&page, &issued, true)),
        Err(error) => refused(&page, error, TEMPLATE, context(email, name, role)),
    }
}

/// A role by its name.
pub(super) fn read_role(name: &str) -> Result<Role, Error> {
    let found = Role::ALL.into_iter().find(|role| role.name() == name);
    found.ok_or_else(|| Error::invalid_at("/role", "Choose a role."))
}

fn context(email: &str, name: &str, role: &str) -> Value {
    context! { email, name, role, roles => ROLES }
}
