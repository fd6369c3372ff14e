//! `GET /dashboard/sign-in/provider?next=` redirects to the operator's OpenID Connect provider, and `GET
//! /dashboard/sign-in/callback` handles the way back.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, Method, StatusCode, Uri, header};
use secrecy::ExposeSecret as _;
use stead::Error;
use stead_core::{access::ReturnFromProvider, oauth::Callback};

use super::enter::go_on;
use crate::{
    dashboard::{page::Page, session::local},
    extract::Query,
    problem::{Problem, Result},
};

/// With `again`, the member of the current session signs in again as a step-up, instead of entering the password. If
/// the session has expired, a new one starts.
pub(super) async fn begin(page: Page, headers: HeaderMap, mut query: Query) -> Result<Response> {
    let (next, again) = (query.text("next")?, query.text("again")?);
    let next = local(next.as_deref());
    let mut session = again.and_then(|_| page.sessions().id(&headers));
    if let Some(id) = &session
        && page
            .environment
            .check_session(id.expose_secret())
            .await
            .is_err()
    {
        session = None;
    }
    let session = session.as_ref().map(|id| id.expose_secret());
    let started = page.environment.begin_at_provider(next, session).await?;
    let cookie = page.sessions().begin_attempt(&started.cookie);
    Ok(page.redirect_with(&started.location, cookie))
}

/// A HEAD request doesn't use up the code, because link scanners send those.
pub(super) async fn finish(
    page: Page,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response> {
    if method == Method::HEAD {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let sessions = page.sessions();
    let returned = ReturnFromProvider::new(
        Callback::from_query(uri.query().unwrap_or_default()),
        sessions.attempt(&headers),
        sessions.id(&headers),
        page.source(),
    );
    let mut response = match page.environment.finish_at_provider(returned).await {
        Ok(finished) => {
            let next = local(Some(&finished.next));
            match &finished.session {
                Some(started) => go_on(&page, started, next).await,
                None if finished.awaits_code => page.step_up_first(next),
                None => page.redirect(next),
            }
        }
        Err(error) => refused(error),
    };
    // The cookie works once.
    let headers = response.headers_mut();
    headers.extend(
        sessions
            .end_attempt()
            .map(|ended| (header::SET_COOKIE, ended)),
    );
    Ok(response)
}

fn refused(error: Error) -> Response {
    Problem::from(error).into_response()
}
