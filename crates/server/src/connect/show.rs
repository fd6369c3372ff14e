//! `GET /connect/{token}`: shows the application and what it asks for. Changes nothing, because mail scanners and
//! previews open links too.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::HeaderMap;

use crate::{
    extract::{Acting, Path},
    pages::{Language, Pages},
    problem::Result,
};

pub(super) async fn show(
    Acting(environment): Acting,
    State(pages): State<Arc<Pages>>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response> {
    let page = environment.connect_page(&token).await?;
    let left = page.expires_at.duration_since(environment.runtime().now());
    Ok(pages.connect(Language::of(&headers), &page, left.as_secs()))
}
