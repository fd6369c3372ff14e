//! The details of a resource, and the buttons of its actions.

use axum::response::Response;
use minijinja::{Value as Context, context, value::Serde};
use serde::Serialize;
use serde_json::Value;
use stead::{Error, ErrorKind};

use super::{
    Ids,
    action::Form,
    fields,
    member::{fill, shows},
    resource::Resource,
};
use crate::{
    dashboard::{format::segment, page::Page, settings::render::render},
    extract::{Path, Query},
    problem::Result,
};

/// The template of details without other parts.
const TEMPLATE: &str = "settings/details.html";

/// A button: a link to a page, or a form without fields.
#[derive(Debug, Serialize)]
pub(super) struct Button {
    to: String,
    label: String,
    style: &'static str,
    icon: &'static str,
    is_link: bool,
}

pub(super) async fn show(
    page: Page,
    resource: &'static Resource,
    Path(ids): Ids,
    mut query: Query,
) -> Result<Response> {
    let ids: Vec<String> = ids.into_iter().map(|(_, id)| id).collect();
    let one = load(&page, resource, &ids).await?;
    let context = context(&page, resource, &one, &mut query).await?;
    query.end()?;
    Ok(render(&page, template(resource), context))
}

pub(super) fn template(resource: &Resource) -> &'static str {
    resource
        .details_template
        .map_or(TEMPLATE, |(template, _)| template)
}

/// Reads one resource, from the list if it has no read operation.
pub(super) async fn load(page: &Page, resource: &Resource, ids: &[String]) -> Result<Value, Error> {
    let Some(id) = ids.first() else {
        return Ok(Value::Null);
    };
    if let Some(read) = &resource.read {
        return read
            .run(&page.environment, std::slice::from_ref(id), "", None)
            .await;
    }
    let listed = resource.list.run(&page.environment, &[], "", None).await?;
    let mut items = resource.items(&listed).into_iter();
    items.find(|one| resource.id(one) == *id).ok_or_else(|| {
        let message = format!("this {} doesn’t exist", resource.noun);
        Error::new(ErrorKind::NotFound, message)
    })
}

/// Everything that the details' template shows.
pub(super) async fn context(
    page: &Page,
    resource: &Resource,
    one: &Value,
    query: &mut Query,
) -> Result<Context, Error> {
    let more = match resource.details_template {
        Some((_, load)) => load(page, one, query).await?,
        None => context! {},
    };
    let schema = resource.schema();
    let id = resource.id(one);
    let now = page.environment.runtime().now();
    let details = shows(&resource.details, &schema);
    // Members without a value are omitted, unless the declaration has a text for that case.
    let details = details.into_iter().filter(|member| member.says(one));
    let details: Vec<_> = details.map(|member| member.cell(one, now)).collect();
    let mut forms = Vec::new();
    let inline = resource.actions.iter();
    for action in inline.filter(|action| action.form == Form::Inline && action.is_open_to(page)) {
        let fields = fields::fields(&page.environment, resource, action, one, None).await?;
        forms.push(context! {
            title => action.title(resource.noun),
            submit => action.submit(resource.noun),
            to => path(&action.to, std::slice::from_ref(&id)),
            fields => Serde(fields),
        });
    }
    Ok(context! {
        kind => resource.page_name("details"),
        title => resource.title(),
        noun => resource.noun,
        list => resource.path.as_str(),
        own => resource.path_of(&id),
        id => id.as_str(),
        name => resource.name_of(one),
        subtitle => fill(resource.subtitle, &[one]),
        acts => resource.acts,
        one => Serde(one),
        buttons => Serde(buttons(page, resource, one, &id)),
        details => Serde(details),
        forms => forms,
        ..more
    })
}

/// The buttons of the actions that are possible now.
pub(super) fn buttons(page: &Page, resource: &Resource, one: &Value, id: &str) -> Vec<Button> {
    let possible = resource.actions.iter().filter(|action| {
        action.is_of_one()
            && !action.is_placed
            && action.form != Form::Inline
            && (action.when)(one)
            && action.is_open_to(page)
    });
    let buttons = possible.map(|action| Button {
        to: path(&action.to, &[id.to_owned()]),
        label: action.label(resource.noun),
        style: action.style,
        icon: action.icon,
        is_link: action.has_page(),
    });
    buttons.collect()
}

/// A path with its parameters filled in.
pub(super) fn path(pattern: &str, ids: &[String]) -> String {
    let mut ids = ids.iter();
    let steps = pattern.split('/').map(|step| match step.starts_with('{') {
        true => segment(ids.next().map_or("", String::as_str)),
        false => step.to_owned(),
    });
    steps.collect::<Vec<_>>().join("/")
}
