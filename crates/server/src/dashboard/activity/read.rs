//! `GET /dashboard/activity/{execution_id}`: one call, its result, and who needs to act.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead::ErrorKind;
use stead_core::resource::{ReadAccount, ReadConnection, ReadExecution};

use crate::{
    dashboard::{accounts, page::Page, words},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn read(
    page: Page,
    Path(execution_id): Path<String>,
    query: Query,
) -> Result<Response> {
    query.end()?;
    let environment = &page.environment;
    let call = environment.send(ReadExecution::new(&execution_id)).await?;
    let tool = environment.tool(&call.tool).ok();
    let (name, user) = (call.connection_name.as_str(), call.identifier.as_str());
    // The call can name a connection or account that never existed, or no longer exists.
    let account = environment.send(ReadAccount::new(name, user)).await.ok();
    let connection = environment.send(ReadConnection::new(name)).await.ok();
    let product = connection.map(|connection| connection.product);
    let product = product
        .as_deref()
        .or(tool.as_ref().map(|tool| tool.product.as_str()));
    let title = product.and_then(|name| environment.catalogue().product(name));
    let kind = ErrorKind::from_name(&call.outcome);
    let took = std::time::Duration::from_micros(call.duration_micros);
    let ended_at = call.started_at.checked_add(took).ok();
    let context = context! {
        account => account.is_some().then(|| accounts::path(name, user)),
        is_tool => tool.is_some(),
        product,
        title => title.map(|product| product.title),
        heading => words::call(&call),
        refused => words::refused(&call, title.map_or("the product", |product| product.title)),
        summary => words::outcome(&call.outcome),
        who => kind.map(|kind| words::act_by(kind.act_by())),
        act => kind.map(words::advice),
        retryable => kind.is_some_and(ErrorKind::retryable),
        ended_at => ended_at.map(|ended| ended.to_string()),
        call => Serde(&call),
    };
    Ok(page.render("activity/read.html", context))
}
