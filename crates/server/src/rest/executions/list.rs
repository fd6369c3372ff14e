//! `GET /v1/executions?connection_name=&identifier=&tool=&outcome=&actor=&since=&before=&page_token=&page_size=`.

use stead::core::resource::{ExecutionFilter, ExecutionRecord, Page};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, moment, text},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[
    text("connection_name", "Only through this connection."),
    text("identifier", "Only this user's."),
    text("tool", "Only of this tool; `proxy` for raw requests."),
    text(
        "outcome",
        "Only those that ended so: `ok`, or a kind of error.",
    ),
    text(
        "actor",
        "Only those of the application with this client id.",
    ),
    moment("since", "Only those that began at this moment or later."),
    moment("before", "Only those that began before this moment."),
];

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<ExecutionRecord>>> {
    let mut filter = ExecutionFilter::default();
    filter.connection_name = query.text("connection_name")?;
    filter.identifier = query.text("identifier")?;
    filter.tool = query.text("tool")?;
    filter.outcome = query.text("outcome")?;
    filter.actor = query.text("actor")?;
    filter.since = query.moment("since")?;
    filter.before = query.moment("before")?;
    let page = query.paging()?;
    query.end()?;
    let executions = environment
        .executions(&filter, page.token.as_deref(), page.size)
        .await?;
    Ok(Json(executions))
}
