//! What Google's products share: the authorization server, and the router that checks every API request. A
//! Google product adds its own folder with a table of methods; see `mail`.

pub(crate) mod authorize;
pub(crate) mod check;
mod consent;
pub(crate) mod errors;
pub(crate) mod fields;
pub(crate) mod grants;
pub(crate) mod method;
pub(crate) mod paging;
mod revoke;
mod scopes;
mod token;
pub(crate) mod userinfo;

pub(crate) use errors::ApiError;
pub(crate) use method::{Api, ApiMethod, Call, Kind, Parameter};

use crate::{pages, request::Request, response::Response, state::State};

/// Issuer of Google's authorization server, sent as `iss` (OpenID configuration of accounts.google.com).
const ISSUER: &str = "https://accounts.google.com";

/// The host `oauth2.googleapis.com`.
pub(crate) fn tokens(state: &mut State, request: &Request) -> Response {
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/token") => token::respond(state, request),
        ("POST", "/revoke") => revoke::respond(state, request),
        (_, "/token" | "/revoke") => pages::wrong_method(request),
        _ => pages::not_found(request),
    }
}
