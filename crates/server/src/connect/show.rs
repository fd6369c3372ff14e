//! `GET /connect/{token}`: says who asks for what. Changes nothing, since mail scanners and previews open links too.

use std::sync::Arc;

use axum::{extract::State, response::Response};

use crate::{
    extract::{Acting, Path},
    pages::Pages,
    problem::Result,
};

pub(super) async fn show(
    Acting(environment): Acting,
    State(pages): State<Arc<Pages>>,
    Path(token): Path<String>,
) -> Result<Response> {
    let page = environment.connect_page(&token).await?;
    let left = page.expires_at.duration_since(environment.runtime().now());
    Ok(pages.connect(&page, left.as_secs()))
}
