//! The token endpoint (RFC 6749, sections 3.2, 4.1.3 and 6), and PKCE with the method S256 (RFC 7636).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use super::{
    ClientAuthentication, Incoming, Server,
    grants::{GrantError, Issued, Shown},
    policy::{Policy, TokenError},
};
use crate::{request::Query, request::Request, response::Response};

/// Issues tokens for a code or a refresh token.
pub(super) fn respond(
    server: &mut Server,
    policy: &dyn Policy,
    incoming: &mut Incoming<'_>,
) -> Response {
    match authenticated(server, policy, incoming.request) {
        Ok((client_id, body)) => match issue(server, policy, incoming, &client_id, &body) {
            Ok(issued) => policy.tokens(incoming.ids, &issued),
            Err(error) => policy.refused(&error),
        },
        Err(response) => *response,
    }
}

/// Authenticates the client. Returns its ID and the request's parameters.
pub(super) fn authenticated(
    server: &Server,
    policy: &dyn Policy,
    request: &Request,
) -> Result<(String, Query), Box<Response>> {
    let refused = |error: TokenError| Box::new(policy.refused(&error));
    let body = if server.profile.takes_json {
        request.json_parameters()
    } else {
        request.form_parameters()
    };
    if body.is_none() && !server.profile.takes_json {
        return Err(refused(TokenError::request("The body is not a form.")));
    }
    let parameters = body.clone().unwrap_or_default();
    if let Some(name) = parameters.repeated_name() {
        let description = format!("Parameter given more than once: {name}");
        return Err(refused(TokenError::request(description)));
    }
    let client_id = client(server, request, &parameters).map_err(refused)?;
    policy.check(request)?;
    match body {
        Some(body) => Ok((client_id, body)),
        None => {
            let description = "body failed validation: body should be a JSON object.";
            Err(refused(TokenError::request(description)))
        }
    }
}

/// Checks the client's ID and secret. Returns the ID.
fn client(server: &Server, request: &Request, body: &Query) -> Result<String, TokenError> {
    let in_form = server.profile.client_authentication == ClientAuthentication::BasicOrForm;
    let by_basic = request.header("authorization").is_some();
    let secret = body.first("client_secret");
    if secret.is_some() && (by_basic || !in_form) {
        let description = "The client must authenticate in one way only.";
        return Err(TokenError::request(description));
    }
    let (id, secret) = if by_basic || !in_form {
        let basic = request.basic_credentials();
        let (id, secret) = basic.ok_or_else(|| TokenError::client("Unauthorized", in_form))?;
        if body.first("client_id").is_some_and(|named| named != id) {
            return Err(TokenError::request("Two different clients are named."));
        }
        (id, secret)
    } else {
        let secret = secret.ok_or_else(|| TokenError::request("client_secret is missing."));
        (required(body, "client_id")?.to_owned(), secret?.to_owned())
    };
    match server.clients.find(&id) {
        Some(client) if client.has_secret(&secret) => Ok(id),
        Some(_) => Err(TokenError::client("Unauthorized", by_basic)),
        None => Err(TokenError::client(
            "The OAuth client was not found.",
            by_basic,
        )),
    }
}

fn issue(
    server: &mut Server,
    policy: &dyn Policy,
    incoming: &mut Incoming<'_>,
    client_id: &str,
    body: &Query,
) -> Result<Issued, TokenError> {
    let host = incoming.request.host.as_str();
    let issued = match required(body, "grant_type")? {
        "authorization_code" => {
            let shown =
                Shown {
                    host,
                    client_id,
                    code: required(body, "code")?,
                    redirect_uri: required(body, "redirect_uri")?,
                    challenge: match body.first("code_verifier") {
                        Some(verifier) => Some(challenge_of(verifier).ok_or_else(|| {
                            TokenError::request("The code verifier is malformed.")
                        })?),
                        None => None,
                    },
                    single_use: (server.profile.single_use_parameter)
                        .is_some_and(|name| body.first(name) == Some("true")),
                };
            server.grants.exchange(incoming.ids, incoming.now, &shown)
        }
        "refresh_token" => {
            let token = required(body, "refresh_token")?;
            let scope = body
                .filled("scope")
                .filter(|scope| !scope.trim().is_empty());
            let asked = scope.and_then(|scope| policy.narrowed(scope)).transpose()?;
            let client = (host, client_id);
            server
                .grants
                .refresh(incoming.ids, incoming.now, client, token, asked)
        }
        other => {
            let description = format!("Invalid grant_type: {other}");
            return Err(TokenError::new("unsupported_grant_type", description));
        }
    };
    issued.map_err(|error| match error {
        GrantError::Dead(description) => TokenError::new("invalid_grant", description),
        GrantError::Scope => {
            TokenError::new("invalid_scope", "Some requested scopes were not granted.")
        }
    })
}

fn required<'body>(body: &'body Query, name: &str) -> Result<&'body str, TokenError> {
    body.filled(name)
        .ok_or_else(|| TokenError::request(format!("Missing required parameter: {name}")))
}

/// The length of a challenge: 32 bytes in base64url (section 4.2).
const CHALLENGE_LETTERS: usize = 43;

/// Whether this has the form of a challenge.
pub(crate) fn is_challenge(text: &str) -> bool {
    text.len() == CHALLENGE_LETTERS
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// The challenge for a verifier (sections 4.1 and 4.2). `None` if the verifier isn't well-formed.
pub(crate) fn challenge_of(verifier: &str) -> Option<String> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    ((43..=128).contains(&verifier.len()) && verifier.bytes().all(is_letter))
        .then(|| URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let challenge = challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").unwrap();
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert!(is_challenge(&challenge));
        assert!(challenge_of("short").is_none());
    }
}
