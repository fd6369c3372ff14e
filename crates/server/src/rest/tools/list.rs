//! `GET /v1/tools?product=&effect=&connection_name=&identifier=&format=`: the newest version of every tool, by name;
//! several products are separated by commas. With an identifier each
//! says whether that user can call it; with a format each is in that model vendor's envelope.
//! One page holds them all.

use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use stead::{
    Error, ErrorKind,
    core::{
        environment::Environment,
        resource::{Page, ToolFilter},
        tool::Effect,
    },
};

use super::FORMATS;
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
    let format = query.one_of("format", FORMATS)?;
    query.end()?;
    let Some(format) = format else {
        return Ok(all(environment.tools(filter).await?).into_response());
    };
    if filter.identifier.is_some() {
        let message =
            "a vendor's envelope has no place for what `identifier` asks; leave one of the two out";
        return Err(Error::new(ErrorKind::InvalidRequest, message).into());
    }
    let tools = environment.tools(filter).await?;
    let exported = tools
        .iter()
        .map(|tool| {
            environment
                .catalogue()
                .find(&tool.name, None, Some(&tool.tool_version))?
                .export(format)
        })
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(all(exported).into_response())
}

fn all<T>(items: Vec<T>) -> Json<Page<T>> {
    Json(Page::new(items, None))
}
