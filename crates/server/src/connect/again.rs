//! `POST /connect/again/{authorization_id}`: sends a browser that has just returned back to the product, for
//! permissions that the user declined. The body isn't read.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::HeaderMap;
use secrecy::ExposeSecret as _;

use super::{Cookie, same_origin};
use crate::{
    extract::{Acting, Path},
    pages::Pages,
    problem::Result,
};

pub(super) async fn start(
    Acting(environment): Acting,
    State(pages): State<Arc<Pages>>,
    Path(authorization_id): Path<String>,
    headers: HeaderMap,
) -> Result<Response> {
    same_origin::check(&environment, &headers)?;
    let cookie = Cookie::of(&environment);
    let started = environment
        .ask_again(&authorization_id, |id| cookie.read(&headers, id))
        .await?;
    let set = cookie.begin(started.authorization_id, started.browser.expose_secret());
    Ok(pages.redirect(&started.location, set))
}
