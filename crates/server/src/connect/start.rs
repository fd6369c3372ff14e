//! `POST /connect/{token}`: binds the authorization to this browser and sends it to the product. The body isn't read.

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
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response> {
    same_origin::check(&environment, &headers)?;
    let cookie = Cookie::of(&environment);
    let authorization = environment.connect_page(&token).await?.authorization_id;
    let browser = cookie.read(&headers, authorization);
    let started = environment
        .start_authorization(&token, browser.as_deref())
        .await?;
    let set = cookie.begin(started.authorization_id, started.browser.expose_secret());
    Ok(pages.redirect(&started.location, set))
}
