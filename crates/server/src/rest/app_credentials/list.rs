//! `GET /v1/app-credentials?page_token=&page_size=`.

use stead::core::resource::{AppCredential, Page};

use crate::{
    extract::{Acting, Json, Query},
    problem::Result,
};

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<AppCredential>>> {
    let page = query.paging()?;
    query.end()?;
    let credentials = environment
        .app_credentials(page.token.as_deref(), page.size)
        .await?;
    Ok(Json(credentials))
}
