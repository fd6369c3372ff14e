use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{authentication::Authenticated, extract::Query, problem::Answer, rest::json};

/// `GET /v1/accounts?connection_name=&page_token=&page_size=`.
pub(in crate::rest) async fn list(
    _: Authenticated,
    State(environment): State<Environment>,
    mut query: Query,
) -> Answer {
    let connection_name = query.text("connection_name")?;
    let page = query.paging()?;
    query.end()?;
    json(
        StatusCode::OK,
        &environment
            .accounts(connection_name.as_deref(), page.token.as_deref(), page.size)
            .await?,
    )
}
