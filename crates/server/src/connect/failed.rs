//! `GET /connect/failed?kind=&id=`: the page after a failed authorization.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, Uri};
use stead::ErrorKind;
use url::form_urlencoded;

use crate::{
    pages::{Language, Pages},
    request_id::RequestId,
};

/// Shows our own text for the kind, and the support ID. Nothing else of the query is shown.
pub(super) async fn show(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let (mut kind, mut id) = (ErrorKind::Internal, None);
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        match name.as_ref() {
            "kind" => kind = ErrorKind::from_name(&value).unwrap_or(ErrorKind::Internal),
            "id" => id = RequestId::parse(&value),
            _ => {}
        }
    }
    pages.failed(Language::of(&headers), kind, id)
}
