//! `GET /sso/v1/oauth/{connection_id}/callback`: the user returns from the product.
//!
//! The response is always a redirect, so that the code and the state aren't in the address bar or the history (RFC
//! 9700, section 4.3.1).

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, Method, Uri};
use serde_json::Value;
use stead_core::{
    environment::Environment,
    oauth::{Callback, FinishedAuthorization},
    resource::AccountState,
};
use url::form_urlencoded;

use crate::{
    connect::{Cookie, connected},
    extract::{Acting, Path},
    pages::Pages,
    problem::{self, Problem, Result},
    request_id::RequestId,
    state::{ServerState, address},
};

/// A HEAD, which link scanners send, doesn't use up the state.
pub(super) async fn finish(
    method: Method,
    Acting(environment): Acting,
    State(pages): State<Arc<Pages>>,
    Path(connection_id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response> {
    if method == Method::HEAD {
        return Ok(pages.empty());
    }
    let cookie = Cookie::of(&environment);
    let callback = Callback::from_query(uri.query().unwrap_or_default());
    let browser = |authorization| cookie.read(&headers, authorization);
    let finished = environment
        .finish_authorization(&connection_id, callback, browser)
        .await?;
    let location = finished
        .return_to
        .clone()
        .unwrap_or_else(|| done(&environment, &finished));
    // A user who declined some permissions may be asked again, in this browser.
    let ended = (finished.missing_scopes.is_empty())
        .then(|| cookie.end(finished.authorization_id))
        .flatten();
    let user = finished.product_user.as_deref();
    let connected = user.and_then(|user| connected(&environment, user));
    Ok(pages.redirect(&location, ended.into_iter().chain(connected)))
}

/// A layer around the callback: shows a problem at an address of its own.
pub(crate) async fn leave_callback(
    State(state): State<ServerState>,
    id: RequestId,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    let Some(Problem { error, .. }) = response.extensions_mut().remove() else {
        return response;
    };
    problem::report(&error);
    // A page of this environment reads the outcome itself.
    let own_page = error.context().get("return_to").and_then(Value::as_str);
    let location = own_page.map_or_else(
        || {
            address(
                &state.environment,
                &format!("/connect/failed?kind={}&id={id}", error.kind()),
            )
        },
        str::to_owned,
    );
    state.pages.redirect(&location, None)
}

/// Our own page, for an application that users don't return to.
fn done(environment: &Environment, finished: &FinishedAuthorization) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("product", finished.product_title);
    if finished.account_state == AccountState::PendingVerification {
        query.append_pair("next", "confirm");
    }
    for scope in &finished.missing_scopes {
        query.append_pair("missing", scope);
    }
    if !finished.missing_scopes.is_empty() {
        query.append_pair("authorization", &finished.authorization_id.to_string());
    }
    address(environment, &format!("/connect/done?{}", query.finish()))
}
