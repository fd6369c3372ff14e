//! What Google's products share: the authorization server, and the front door
//! that checks every API request. A Google product adds its own folder with a
//! table of methods; see `mail`.

pub(crate) mod authorize;
pub(crate) mod check;
pub(crate) mod clients;
mod consent;
pub(crate) mod errors;
pub(crate) mod fields;
pub(crate) mod ledger;
pub(crate) mod method;
pub(crate) mod pages;
pub(crate) mod paging;
mod revoke;
mod scopes;
mod token;
pub(crate) mod userinfo;

use axum::http::StatusCode;

use crate::answer::Answer;
use crate::request::Request;
use crate::state::State;

/// Issuer of Google's authorization server, sent as `iss`
/// (OpenID configuration of accounts.google.com).
const ISSUER: &str = "https://accounts.google.com";

/// The host `oauth2.googleapis.com`.
pub(crate) fn tokens(state: &mut State, request: &Request) -> Answer {
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/token") => token::answer(state, request),
        ("POST", "/revoke") => revoke::answer(state, request),
        (_, "/token" | "/revoke") => pages::wrong_method(request),
        _ => Answer::html(StatusCode::NOT_FOUND, pages::not_found(request)),
    }
}
