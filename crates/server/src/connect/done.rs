//! `GET /connect/done?product=&next=&missing=&authorization=`: the page after a successful authorization.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, Uri};
use stead_core::identifier::AuthorizationId;
use url::form_urlencoded;

use super::{Cookie, connected};
use crate::{
    extract::Acting,
    pages::{Done, Language, Pages},
};

/// Anyone can write this query. Therefore, the page only names products of this environment and their permissions, and
/// asking again also needs the authorization's cookie.
pub(super) async fn show(
    Acting(environment): Acting,
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let language = Language::of(&headers);
    let mut done = Done::default();
    let mut missing = Vec::new();
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        match name.as_ref() {
            "product" => {
                done.product = environment
                    .catalogue()
                    .products()
                    .iter()
                    .copied()
                    .find(|product| product.title == value);
            }
            "next" => done.confirm = value == "confirm",
            "missing" => missing.push(value.into_owned()),
            "authorization" => done.again = value.parse::<AuthorizationId>().ok(),
            _ => {}
        }
    }
    if let Some(product) = done.product {
        done.missing = product.describe_scopes(&missing, language.tag());
        done.missing.retain(|line| !line.is_scope);
    }
    let cookie = Cookie::of(&environment);
    done.again = done
        .again
        .filter(|id| !done.missing.is_empty() && cookie.read(&headers, *id).is_some());
    done.user = connected::read(&headers);
    pages.done(language, &done)
}
