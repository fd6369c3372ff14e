//! `GET /dashboard/activity?time=&connection_name=&identifier=&tool=&outcome=&page_token=`: the calls and their
//! outcomes.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use stead::ErrorKind;
use stead_core::{
    api::Paging,
    resource::{ExecutionRecord, ListConnections, ListExecutions},
};

use super::{
    STREAM,
    filter::{Calls, Span},
    summary::Summary,
};
use crate::{
    dashboard::{accounts, page::Page, words},
    extract::Query,
    problem::Result,
};

/// Calls of a page.
const PAGE: u32 = 50;

/// A call in the table.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    account: String,
    title: String,
    hint: &'static str,
    call: ExecutionRecord,
}

pub(super) fn rows(calls: Vec<ExecutionRecord>) -> Vec<Row> {
    let row = |call: ExecutionRecord| Row {
        account: accounts::path(&call.connection_name, &call.identifier),
        title: words::call(&call),
        hint: words::outcome(&call.outcome),
        call,
    };
    calls.into_iter().map(row).collect()
}

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let filter = Calls::read(&mut query)?;
    let token = query.text("page_token")?;
    query.end()?;
    let environment = &page.environment;
    let asked = filter.to_filter(environment.runtime().now());
    let found = environment
        .send(
            ListExecutions::new()
                .filter(asked.clone())
                .page(Paging::new(token.as_deref(), PAGE)),
        )
        .await?;
    let summary = match token {
        None => Some(Summary::of(&page, &filter).await?),
        Some(_) => None,
    };
    let connections = environment
        .send(ListConnections::new().page(Paging::new(None, 100)))
        .await?
        .items;
    let names = connections
        .iter()
        .map(|connection| connection.connection_name.to_string());
    let kinds = ErrorKind::ALL.iter().map(|kind| kind.name());
    let (kept, is_filtered) = (filter.query(), filter.is_narrow());
    let stream = token
        .is_none()
        .then(|| format!("{STREAM}?kind=calls&{kept}"));
    let context = context! {
        rows => Serde(rows(found.items)),
        summary => Serde(summary),
        connections => names.collect::<Vec<_>>(),
        outcomes => std::iter::once("ok").chain(kinds).collect::<Vec<_>>(),
        spans => Serde(Span::ALL.map(|span| (span.name(), span.title()))),
        span => filter.span.name(),
        span_title => filter.span.title(),
        connection_name => filter.connection_name,
        identifier => filter.identifier,
        tool => filter.tool,
        outcome => filter.outcome,
        is_filtered,
        stream,
        query => if kept.is_empty() { kept } else { kept + "&" },
        page_token => token,
        next_page_token => found.next_page_token,
    };
    Ok(page.render("activity/list.html", context))
}
