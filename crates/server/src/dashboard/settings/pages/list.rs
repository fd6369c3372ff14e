//! The list of a resource.

use axum::{extract::RawQuery, response::Response};
use minijinja::{Value as Context, context, value::Serde};
use serde::Serialize;
use serde_json::Value;
use stead::Error;
use url::form_urlencoded;

use super::{
    details::{Button, buttons},
    member::{Cell, shows},
    resource::Resource,
};
use crate::{
    dashboard::{page::Page, settings::render::render},
    extract::Query,
    problem::Result,
};

/// The template of lists without other parts.
const TEMPLATE: &str = "settings/list.html";

#[derive(Debug, Serialize)]
struct Row {
    /// Path of its details, if it has a page.
    path: Option<String>,
    cells: Vec<Cell>,
    buttons: Vec<Button>,
}

pub(super) async fn show(
    page: Page,
    resource: &'static Resource,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let context = context(&page, resource, query.as_deref().unwrap_or_default()).await?;
    Ok(render(&page, template(resource), context))
}

pub(super) fn template(resource: &Resource) -> &'static str {
    resource
        .list_template
        .map_or(TEMPLATE, |(template, _)| template)
}

/// Everything that the list's template shows.
pub(super) async fn context(
    page: &Page,
    resource: &Resource,
    query: &str,
) -> Result<Context, Error> {
    let value = resource
        .list
        .run(&page.environment, &[], query, None)
        .await?;
    let more = match resource.list_template {
        Some((_, load)) => load(page, &value, &mut Query::of(query)).await?,
        None => context! {},
    };
    let schema = resource.schema();
    let mut columns = shows(&resource.columns, &schema);
    if resource.columns.is_empty() {
        let (id, name) = (resource.id_member(), resource.name_member(&schema));
        columns.retain(|one| one.name != id || id == name);
        columns.sort_by_key(|one| one.name != name);
    }
    let parameters = form_urlencoded::parse(query.as_bytes());
    let (page_token, others): (Vec<_>, Vec<_>) =
        parameters.partition(|(name, _)| name == "page_token");
    let others = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(others)
        .finish();
    let now = page.environment.runtime().now();
    let rows = resource.items(&value).into_iter().map(|one| {
        let id = resource.id(&one);
        Row {
            path: resource.read.is_some().then(|| resource.path_of(&id)),
            cells: columns
                .iter()
                .map(|column| column.cell(&one, now))
                .collect(),
            buttons: match &resource.read {
                Some(_) => Vec::new(),
                None => buttons(page, resource, &one, &id),
            },
        }
    });
    let rows: Vec<Row> = rows.collect();
    let heads: Vec<Cell> = columns
        .iter()
        .map(|one| one.cell(&Value::Null, now))
        .collect();
    let creation = resource.creation().filter(|one| one.is_open_to(page));
    Ok(context! {
        kind => resource.page_name("list"),
        title => resource.title(),
        noun => resource.noun,
        lead => match resource.lead { "" => resource.description(), lead => lead.to_owned() },
        icon_of => resource.icon,
        empty_text => resource.empty,
        create => creation.map(|one| (one.label(resource.noun), one.page.clone())),
        heads => Serde(heads),
        rows => Serde(&rows),
        has_buttons => rows.iter().any(|row| !row.buttons.is_empty()),
        query => if others.is_empty() { others } else { others + "&" },
        page_token => page_token.first().map(|(_, token)| token.as_ref()),
        next_page_token => value["next_page_token"].as_str(),
        ..more
    })
}
