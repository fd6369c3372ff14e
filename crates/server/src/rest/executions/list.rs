//! `GET /v1/executions?connection_name=&identifier=&tool=&outcome=&actor=&since=&before=&page_token=&page_size=`.

use stead::core::resource::{ExecutionFilter, ExecutionRecord, Page};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, moment, text},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[
    text(
        "connection_name",
        "Only executions through this connection.",
    ),
    text("identifier", "Only executions of this user."),
    text(
        "tool",
        "Only executions of this tool. Use `proxy` for raw requests.",
    ),
    text(
        "outcome",
        "Only executions with this outcome: `ok` or an error kind.",
    ),
    text(
        "actor",
        "Only executions by the application with this client ID.",
    ),
    moment(
        "since",
        "Only executions that started at this time or later.",
    ),
    moment("before", "Only executions that started before this time."),
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
