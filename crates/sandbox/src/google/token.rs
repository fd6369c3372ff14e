//! The token endpoint (RFC 6749, sections 3.2, 4.1.3 and 6; RFC 7636).

use std::collections::BTreeSet;

use axum::http::{StatusCode, header};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;

use super::{
    ISSUER,
    errors::oauth,
    grants::{Denied, Exchange, Issued},
    scopes,
};
use crate::{
    google::State, oauth::challenge_of, query::Query, request::Request, response::Response,
    shared::time_of_day, users,
};

/// An error in the shape of RFC 6749, section 5.2.
#[derive(Debug)]
struct TokenError {
    status: StatusCode,
    error: &'static str,
    description: String,
    /// The client used Basic, so the response has to ask for it.
    by_basic: bool,
}

/// `POST /token`.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    let response = match issue_tokens(state, request) {
        Ok(response) => response,
        Err(refused) => refused.response(),
    };
    response.with(header::PRAGMA, "no-cache")
}

fn issue_tokens(state: &mut State, request: &Request) -> Result<Response, TokenError> {
    let form = request
        .form_parameters()
        .ok_or_else(|| invalid_request("The body is not a form."))?;
    if let Some(name) = form.repeated_name() {
        return Err(invalid_request(&format!(
            "Parameter given more than once: {name}"
        )));
    }
    let client_id = authenticate(state, request, &form)?;
    let issued = match required(&form, "grant_type")? {
        "authorization_code" => exchange(state, &client_id, &form)?,
        "refresh_token" => refresh(state, &client_id, &form)?,
        other => {
            return Err(TokenError::new(
                "unsupported_grant_type",
                &format!("Invalid grant_type: {other}"),
            ));
        }
    };
    Ok(token_response(state, &client_id, &issued))
}

fn exchange(state: &mut State, client_id: &str, form: &Query) -> Result<Issued, TokenError> {
    let shown = Exchange {
        client_id,
        code: required(form, "code")?,
        redirect_uri: required(form, "redirect_uri")?,
        challenge: form.first("code_verifier").map(challenge).transpose()?,
    };
    state
        .grants
        .exchange(state.ids, state.now, &shown)
        .map_err(denied)
}

fn challenge(verifier: &str) -> Result<String, TokenError> {
    challenge_of(verifier).ok_or_else(|| invalid_request("The code verifier is malformed."))
}

fn refresh(state: &mut State, client_id: &str, form: &Query) -> Result<Issued, TokenError> {
    let token = required(form, "refresh_token")?;
    let asked = form
        .first("scope")
        .filter(|scope| !scope.trim().is_empty())
        .map(|scope| {
            scope
                .split_whitespace()
                .map(|name| scopes::canonical(name).map(str::to_owned))
                .collect::<Option<BTreeSet<String>>>()
                .ok_or_else(|| denied(Denied::Scope))
        })
        .transpose()?;
    state
        .grants
        .refresh(state.ids, state.now, client_id, token, asked)
        .map_err(denied)
}

/// The client by id and secret, in the form or as Basic, not both (RFC 6749, section 2.3.1).
fn authenticate(state: &State, request: &Request, form: &Query) -> Result<String, TokenError> {
    let basic = request
        .header("authorization")
        .map(|_| {
            let basic = request.basic_credentials();
            basic.ok_or_else(|| invalid_client("Unauthorized", true))
        })
        .transpose()?;
    let by_basic = basic.is_some();
    let (id, secret) = match (basic, form.first("client_secret")) {
        (Some(_), Some(_)) => {
            return Err(invalid_request(
                "The client must authenticate in one way only.",
            ));
        }
        (Some((id, secret)), None) => {
            if form.first("client_id").is_some_and(|named| named != id) {
                return Err(invalid_request("Two different clients are named."));
            }
            (id, secret)
        }
        (None, secret) => (
            required(form, "client_id")?.to_owned(),
            secret
                .ok_or_else(|| invalid_request("client_secret is missing."))?
                .to_owned(),
        ),
    };
    match state.clients.find(&id) {
        Some(client) if client.has_secret(&secret) => Ok(id),
        Some(_) => Err(invalid_client("Unauthorized", by_basic)),
        None => Err(invalid_client("The OAuth client was not found.", by_basic)),
    }
}

fn token_response(state: &mut State, client_id: &str, issued: &Issued) -> Response {
    let scope: Vec<&str> = issued.terms.iter().map(String::as_str).collect();
    let mut body = json!({
        "access_token": issued.access,
        "expires_in": issued.seconds,
        "scope": scope.join(" "),
        "token_type": "Bearer",
    });
    if let Some(refresh) = &issued.refresh {
        body["refresh_token"] = json!(refresh);
    }
    if let Some(token) = id_token(state, client_id, issued) {
        body["id_token"] = json!(token);
    }
    Response::json(StatusCode::OK, &body, true).with(
        header::CACHE_CONTROL,
        "no-cache, no-store, max-age=0, must-revalidate",
    )
}

/// A JWT that no one signed (`alg` is `none`), for a grant that has `openid`.
fn id_token(state: &mut State, client_id: &str, issued: &Issued) -> Option<String> {
    if !issued.terms.contains("openid") {
        return None;
    }
    let serial = state.ids.token("", 12);
    let user = users::find(&issued.user)?;
    let now = time_of_day(state.now).as_second();
    let has = |suffix: &str| issued.terms.iter().any(|scope| scope.ends_with(suffix));
    let mut claims = json!({
        "iss": ISSUER,
        "azp": client_id,
        "aud": client_id,
        "sub": user.subject,
        "iat": now,
        "exp": now + issued.seconds,
        "jti": serial,
    });
    if has("/userinfo.email") {
        claims["email"] = json!(user.email);
        claims["email_verified"] = json!(true);
    }
    if has("/userinfo.profile") {
        claims["name"] = json!(user.name);
    }
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
    let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
    Some(format!("{header}.{claims}."))
}

fn required<'form>(form: &'form Query, name: &str) -> Result<&'form str, TokenError> {
    form.filled(name)
        .ok_or_else(|| invalid_request(&format!("Missing required parameter: {name}")))
}

fn denied(why: Denied) -> TokenError {
    match why {
        Denied::Grant(description) => TokenError::new("invalid_grant", description),
        Denied::Scope => {
            TokenError::new("invalid_scope", "Some requested scopes were not granted.")
        }
    }
}

fn invalid_request(description: &str) -> TokenError {
    TokenError::new("invalid_request", description)
}

fn invalid_client(description: &str, by_basic: bool) -> TokenError {
    TokenError {
        status: StatusCode::UNAUTHORIZED,
        by_basic,
        ..TokenError::new("invalid_client", description)
    }
}

impl TokenError {
    fn new(error: &'static str, description: &str) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            error,
            description: description.to_owned(),
            by_basic: false,
        }
    }

    fn response(&self) -> Response {
        let response = oauth(self.status, self.error, &self.description);
        if self.by_basic {
            response.with(
                header::WWW_AUTHENTICATE,
                r#"Basic realm="oauth2.googleapis.com""#,
            )
        } else {
            response
        }
    }
}
