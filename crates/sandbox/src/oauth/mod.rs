//! What the three authorization servers share: clients, grants with their codes and tokens, PKCE, the way
//! back to the client.

mod clients;
mod grants;
mod pkce;

use url::form_urlencoded::Serializer;

pub(crate) use clients::Clients;
pub(crate) use grants::{CodeError, Grants, Issued, Profile, TokenKind, TokenState, later};
pub(crate) use pkce::{challenge_of, is_challenge};

use crate::response::Response;

/// Sends the browser back to the client, with these parameters and the client's own `state`.
pub(crate) fn redirect_back(
    redirect_uri: &str,
    state: Option<&str>,
    parameters: &[(&str, &str)],
) -> Response {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(parameters);
    query.extend_pairs(state.map(|state| ("state", state)));
    let join = if redirect_uri.contains('?') { '&' } else { '?' };
    Response::see_other(&format!("{redirect_uri}{join}{}", query.finish()))
}
