//! `GET /v1/tools?product=&effect=&connection_name=&identifier=&format=`: the newest version of every tool, by name;
//! several products are separated by commas. With an identifier each
//! says whether that user can call it; with a format each is in that model vendor's envelope.
//! One page holds them all.

use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use stead::core::{
    environment::Environment,
    resource::{Page, ToolFilter},
    schema::ExportFormat,
    tool::Effect,
};

use crate::{
    extract::{Json, Query},
    problem::Result,
};

const EFFECTS: &[(&str, Effect)] = &[
    (Effect::Read.name(), Effect::Read),
    (Effect::Write.name(), Effect::Write),
    (Effect::Delete.name(), Effect::Delete),
];

pub(in crate::rest) async fn list(
    State(environment): State<Environment>,
    mut query: Query,
) -> Result<Response> {
    let mut filter = ToolFilter::default();
    filter.products = query.list("product")?;
    filter.effect = query.one_of("effect", EFFECTS)?;
    filter.connection_name = query.text("connection_name")?;
    filter.identifier = query.text("identifier")?;
    let format = query.one_of("format", ExportFormat::NAMES)?;
    query.end()?;
    Ok(match format {
        None => all(environment.tools(filter).await?).into_response(),
        Some(format) => all(environment.exported_tools(&filter, format).await?).into_response(),
    })
}

fn all<T>(items: Vec<T>) -> Json<Page<T>> {
    Json(Page::new(items, None))
}
