use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{authentication::Authenticated, extract::Query, problem::Answer, rest::json};

/// `GET /v1/connections?page_token=&page_size=`.
pub(in crate::rest) async fn list(
    _: Authenticated,
    State(environment): State<Environment>,
    mut query: Query,
) -> Answer {
    let page = query.paging()?;
    query.end()?;
    json(
        StatusCode::OK,
        &environment
            .connections(page.token.as_deref(), page.size)
            .await?,
    )
}
