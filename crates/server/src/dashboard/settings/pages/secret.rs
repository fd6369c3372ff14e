//! The page that shows a secret, once.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde_json::Value;

use super::{
    action::Action,
    member::{fill, shows},
    resource::Resource,
};
use crate::dashboard::{page::Page, settings::render::render};

/// The page with the secret, if the result of an action has one.
pub(super) fn show(
    page: &Page,
    resource: &Resource,
    action: &Action,
    made: &Value,
) -> Option<Response> {
    let secret = resource.secret.as_ref()?;
    let shown = made[secret.member].as_str()?;
    let schema = (action.operation.output)();
    let also = match secret.also.as_slice() {
        [] => Vec::new(),
        also => shows(also, &schema),
    };
    // Members without a value aren't shown.
    let also = also
        .into_iter()
        .filter(|member| !made[member.name].is_null());
    let now = page.environment.runtime().now();
    let also: Vec<_> = also.map(|member| member.cell(made, now)).collect();
    let context = context! {
        kind => resource.page_name("secret"),
        section_title => resource.title(),
        list => resource.path.as_str(),
        own => resource.path_of(&resource.id(made)),
        name => resource.name_of(made),
        title => action.made(resource.noun),
        warning => secret.warning,
        label => secret.label,
        about => fill(secret.about, &[made]),
        also => Serde(also),
        below => secret.below,
        is_new => action.is_creation(),
        secret => shown,
        one => Serde(made),
    };
    Some(render(page, "settings/secret.html", context))
}
