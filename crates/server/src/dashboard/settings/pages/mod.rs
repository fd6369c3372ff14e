//! Pages of a resource, from its declaration: a list, details, a form or a question for each action, and the page that
//! shows a secret once. Each has one template for all resources.

mod action;
mod details;
mod fields;
mod form;
mod input;
mod list;
mod member;
mod operation;
mod resource;
mod secret;
#[cfg(test)]
mod tests;

use axum::extract::RawQuery;
use minijinja::Value as Context;
use serde_json::Value;
use stead::Error;
use stead_core::ports::BoxFuture;

pub(crate) use self::{
    action::{Action, Form},
    input::{Input, Options, separated},
    member::{Member, Shown},
    resource::{Resource, Secret},
};
use crate::{
    dashboard::{
        page::Page,
        table::{PageRoute, StepUp, action, form_page, page},
    },
    extract::{Path, Query},
};

/// Loads additional data for a template of one resource. It gets the resource, or the result of the list.
pub(crate) type Load =
    for<'a> fn(&'a Page, &'a Value, &'a mut Query) -> BoxFuture<'a, Result<Context, Error>>;

/// The values of a path, in order.
type Ids = Path<Vec<(String, String)>>;

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("settings/list.html", include_str!("list.html")),
    ("settings/details.html", include_str!("details.html")),
    ("settings/form.html", include_str!("form.html")),
    ("settings/question.html", include_str!("question.html")),
    ("settings/secret.html", include_str!("secret.html")),
    ("settings/parts.html", include_str!("parts.html")),
];

/// The pages and the actions of a resource.
pub(super) fn routes(resource: &'static Resource) -> Vec<PageRoute> {
    let role = resource.list.role();
    let mut routes = vec![page(
        &resource.path,
        role,
        move |page: Page, query: RawQuery| list::show(page, resource, query),
    )];
    if let Some(read) = &resource.read {
        routes.push(page(
            &resource.own,
            read.role(),
            move |page: Page, ids: Ids, query: Query| details::show(page, resource, ids, query),
        ));
    }
    let mut known: Vec<&str> = Vec::new();
    for one in &resource.actions {
        if !known.contains(&&*one.to) {
            known.push(&one.to);
            routes.extend(of_action(resource, one));
        }
    }
    routes
}

fn of_action(resource: &'static Resource, of: &'static Action) -> Vec<PageRoute> {
    let role = of.operation.role();
    let step_up = match (of.steps_up, of.has_page()) {
        (false, _) => StepUp::No,
        (true, true) => StepUp::First(&of.page),
        (true, false) => StepUp::First(&resource.own),
    };
    let submit = action(
        &of.to,
        role,
        step_up,
        of.operation.route(),
        move |page: Page, ids: Ids, given| form::submit(page, resource, of, ids, given),
    );
    if !of.has_page() {
        return vec![submit];
    }
    let show = move |page: Page, ids: Ids, query: Query| form::show(page, resource, of, ids, query);
    let shown = match of.steps_up {
        true => form_page(&of.page, role, show),
        false => page(&of.page, role, show),
    };
    vec![shown, submit]
}
