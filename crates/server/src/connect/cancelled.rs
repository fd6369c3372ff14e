//! `GET /connect/cancelled`: the user went back. Changes nothing: the link still works until it expires.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::HeaderMap;

use crate::pages::{Language, Pages};

pub(super) async fn show(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    pages.cancelled(Language::of(&headers))
}
