use axum::extract::State;
use http::StatusCode;
use stead::{
    Error, ErrorKind,
    core::{environment::Environment, listing::ToolFilter, resource::Page},
};

use super::FORMATS;
use crate::{authentication::Authenticated, extract::Query, problem::Answer, rest::json};

/// `GET /v1/tools?product=&identifier=&format=`: the newest version of every tool, by name. With an identifier each
/// says whether that user can call it; with a format each is in that model vendor's envelope.
/// One page holds them all.
pub(in crate::rest) async fn list(
    _: Authenticated,
    State(environment): State<Environment>,
    mut query: Query,
) -> Answer {
    let filter = ToolFilter {
        product: query.text("product")?,
        identifier: query.text("identifier")?,
    };
    let format = query.one_of("format", FORMATS)?;
    query.end()?;
    let Some(format) = format else {
        return json(StatusCode::OK, &all(environment.tools(filter).await?));
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
    json(StatusCode::OK, &all(exported))
}

fn all<T>(items: Vec<T>) -> Page<T> {
    Page {
        items,
        next_page_token: None,
    }
}
