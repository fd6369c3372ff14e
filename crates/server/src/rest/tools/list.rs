//! `GET /v1/tools?product=&identifier=&format=`: the newest version of every tool, by name. With an identifier each
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
    },
};

use super::FORMATS;
use crate::{
    extract::{Json, Query},
    problem::Result,
};

pub(in crate::rest) async fn list(
    State(environment): State<Environment>,
    mut query: Query,
) -> Result<Response> {
    let mut filter = ToolFilter::default();
    filter.product = query.text("product")?;
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
