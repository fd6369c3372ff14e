//! `GET /connect/done?product=&next=&missing=`: it went well.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, Uri};
use url::form_urlencoded;

use super::connected;
use crate::{extract::Acting, pages::Pages};

/// Anyone can write this query, so only products of this environment are named, and only permissions of theirs.
pub(super) async fn show(
    Acting(environment): Acting,
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let (mut product, mut confirm, mut missing) = (None, false, Vec::new());
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        match name.as_ref() {
            "product" => {
                product = environment
                    .catalogue()
                    .products()
                    .iter()
                    .find(|product| product.title == value)
            }
            "next" => confirm = value == "confirm",
            "missing" => missing.push(value),
            _ => {}
        }
    }
    let described = product.map_or(&[][..], |product| product.scope_descriptions);
    let missing: Vec<&str> = described
        .iter()
        .filter(|(scope, _)| missing.iter().any(|one| one == scope))
        .map(|(_, text)| *text)
        .collect();
    let user = connected::read(&headers);
    let title = product.map(|product| product.title);
    pages.done(title, user.as_deref(), confirm, &missing)
}
