use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::HeaderMap;
use secrecy::ExposeSecret as _;
use stead::{Error, core::environment::Environment};

use super::{Cookie, same_origin};
use crate::{boundary::RequestId, extract::Path, pages::Pages, problem::Problem};

/// `POST /connect/{token}`: binds the authorization to this browser and sends it to the product. The body says nothing
/// and may be empty.
pub(super) async fn start(
    State(environment): State<Environment>,
    State(pages): State<Arc<Pages>>,
    id: RequestId,
    token: Result<Path<String>, Problem>,
    headers: HeaderMap,
) -> Response {
    let begun = match token {
        Ok(Path(token)) => begin(&environment, &pages, &token, &headers).await,
        Err(problem) => Err(problem.error),
    };
    begun.unwrap_or_else(|error| pages.failure(&error, id))
}

async fn begin(
    environment: &Environment,
    pages: &Pages,
    token: &str,
    headers: &HeaderMap,
) -> Result<Response, Error> {
    same_origin::check(environment, headers)?;
    let cookie = Cookie::of(environment);
    let authorization = environment.connect_page(token).await?.authorization_id;
    let browser = cookie.read(headers, authorization);
    let started = environment
        .start_authorization(token, browser.as_deref())
        .await?;
    let set = cookie.begin(started.authorization_id, started.browser.expose_secret());
    Ok(pages.redirect(&started.location, set))
}
