//! Google's own rules for its authorization server (OAuth 2.0 for Web Server Applications).

use std::collections::BTreeSet;

use axum::http::{StatusCode, header};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;

use super::{check, errors::oauth, scopes};
use crate::{
    faults::RotationMode,
    google::State,
    oauth::{
        Asked, ClientAuthentication, Issued, Page, Pkce, Policy, Profile, Terms, TokenError,
        TokenKind, Wrong, project_of,
    },
    pages::{self, Choice, Permission},
    request::Query,
    request::Request,
    response::Response,
    shared::Ids,
    shared::time_of_day,
    users,
};

/// The issuer, which is sent as `iss` (OpenID configuration of accounts.google.com).
const ISSUER: &str = "https://accounts.google.com";

/// `expires_in` is Google's value. A code is valid for ten minutes, which is the maximum that RFC 6749, section 4.1.2,
/// recommends. A user and client can have 100 valid refresh tokens (Using OAuth 2.0, "Refresh token expiration").
pub(super) static PROFILE: Profile = Profile {
    authorize_path: "/o/oauth2/v2/auth",
    consent_path: "/consent/",
    consent: "consent",
    code: TokenKind("4/0sandbox-", 48),
    access: TokenKind("ya29.sandbox-", 120),
    refresh: TokenKind("1//sandbox-", 64),
    code_seconds: 600,
    access_seconds: Some(3599),
    refresh_seconds: None,
    most_refresh_tokens: Some(100),
    refresh_token_once: true,
    rotation: RotationMode::Stable,
    single_use_parameter: None,
    is_adjustable: true,
    is_bound_to_host: false,
    pkce: Pkce::Optional,
    client_authentication: ClientAuthentication::BasicOrForm,
    takes_json: false,
    ignores_redirect_query: false,
    tells_the_client: false,
    longest_state: None,
    issuer: Some(ISSUER),
};

/// The policy of Google.
pub(super) struct Google<'a> {
    /// Scopes that the next consent loses.
    pub(super) lost_scopes: &'a mut Vec<String>,
}

impl Policy for Google<'_> {
    fn read(&self, query: &Query, asked: &mut Asked) -> Result<(), Wrong> {
        let prompt = query.first("prompt").unwrap_or_default();
        let prompts: Vec<&str> = prompt.split(' ').filter(|word| !word.is_empty()).collect();
        match prompts.as_slice() {
            // No user is ever signed in here, so Google would need to show a page.
            ["none"] => return Err(Wrong::back("interaction_required")),
            words
                if !words
                    .iter()
                    .all(|word| matches!(*word, "consent" | "select_account")) =>
            {
                return Err(Wrong::here(
                    "invalid_request",
                    format!("Invalid prompt: {prompt}"),
                ));
            }
            words => asked.forced = words.contains(&"consent"),
        }
        asked.scopes = parse_scopes(query.first("scope").unwrap_or_default())?;
        asked.offline = parse_choice(query, "access_type", ["online", "offline"])?;
        asked.merge = parse_choice(query, "include_granted_scopes", ["false", "true"])?;
        Ok(())
    }

    fn page(&self, query: &Query, asked: &Asked) -> Page {
        let hint = query.first("login_hint").unwrap_or_default();
        let people = users::all().iter().map(|user| Choice {
            email: user.email.to_owned(),
            name: user.name.to_owned(),
            chosen: user.email.eq_ignore_ascii_case(hint) || user.subject == hint,
            pages: Vec::new(),
        });
        let permissions = asked.scopes.iter().map(|scope| Permission {
            scope: scope.clone(),
            text: scopes::description(scope),
        });
        Page {
            title: "Choose an account".to_owned(),
            asks: "asks for access".to_owned(),
            people: people.collect(),
            permissions: permissions.collect(),
        }
    }

    fn has_user(&self, email: &str) -> bool {
        users::find(email).is_some()
    }

    /// Any number of `scope` parameters. For the command line, `scope=all` (or `all=1`) ticks every box. Without any
    /// `scope`, no box is ticked, which is a denial.
    fn allow(&mut self, form: &Query, asked: &Asked, _: &str) -> Result<Terms, Wrong> {
        let all = form.first("all") == Some("1") || form.all("scope").any(|scope| scope == "all");
        let mut ticked: BTreeSet<String> = if all {
            asked.scopes.iter().cloned().collect()
        } else {
            form.all("scope").map(str::to_owned).collect()
        };
        if !ticked.iter().all(|scope| asked.scopes.contains(scope)) {
            let text = "A scope was ticked that was not asked for.";
            return Err(Wrong::here("invalid_scope", text));
        }
        for lost in std::mem::take(self.lost_scopes) {
            ticked.remove(&lost);
        }
        if ticked.is_empty() {
            return Err(Wrong::back("access_denied"));
        }
        Ok(ticked)
    }

    fn redirect_parameters(&self, terms: &Terms) -> Vec<(&'static str, String)> {
        vec![
            ("scope", joined(terms)),
            ("authuser", "0".to_owned()),
            ("prompt", "consent".to_owned()),
        ]
    }

    fn problem(&self, wrong: &Wrong) -> Response {
        let text = format!("Error 400: {}. {}", wrong.code, wrong.text);
        let page = pages::problem("Access blocked: Authorization Error", &text);
        Response::html(StatusCode::BAD_REQUEST, page)
    }

    fn narrowed(&self, scope: &str) -> Option<Result<Terms, TokenError>> {
        let known = scope
            .split_whitespace()
            .map(|name| scopes::canonical(name).map(str::to_owned))
            .collect::<Option<Terms>>();
        let unknown =
            || TokenError::new("invalid_scope", "Some requested scopes were not granted.");
        Some(known.ok_or_else(unknown))
    }

    fn tokens(&self, ids: &mut Ids, issued: &Issued) -> Response {
        let mut body = json!({
            "access_token": issued.access,
            "expires_in": issued.seconds,
            "scope": joined(&issued.terms),
            "token_type": "Bearer",
        });
        if let Some(refresh) = &issued.refresh {
            body["refresh_token"] = json!(refresh);
        }
        if let Some(token) = id_token(ids, issued) {
            body["id_token"] = json!(token);
        }
        Response::json(StatusCode::OK, &body, true)
            .with(
                header::CACHE_CONTROL,
                "no-cache, no-store, max-age=0, must-revalidate",
            )
            .with(header::PRAGMA, "no-cache")
    }

    fn refused(&self, error: &TokenError) -> Response {
        let response =
            oauth(error.status, error.error, &error.description).with(header::PRAGMA, "no-cache");
        if !error.by_basic {
            return response;
        }
        let challenge = r#"Basic realm="oauth2.googleapis.com""#;
        response.with(header::WWW_AUTHENTICATE, challenge)
    }
}

/// An unsigned JWT (`alg` is `none`). `None` if the grant doesn't have `openid`.
fn id_token(ids: &mut Ids, issued: &Issued) -> Option<String> {
    if !issued.terms.contains("openid") {
        return None;
    }
    let serial = ids.token("", 12);
    let user = users::find(&issued.user)?;
    let now = time_of_day(issued.now).as_second();
    let has = |suffix: &str| issued.terms.iter().any(|scope| scope.ends_with(suffix));
    let mut claims = json!({
        "iss": ISSUER,
        "azp": issued.client_id,
        "aud": issued.client_id,
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

fn joined(scopes: &Terms) -> String {
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    scopes.join(" ")
}

fn parse_scopes(text: &str) -> Result<Vec<String>, Wrong> {
    let mut asked: Vec<String> = Vec::new();
    for scope in text.split(' ').filter(|scope| !scope.is_empty()) {
        let known = scopes::canonical(scope).ok_or_else(|| {
            let text = format!("Some requested scopes were invalid: {scope}");
            Wrong::here("invalid_scope", text)
        })?;
        if !asked.iter().any(|present| present == known) {
            asked.push(known.to_owned());
        }
    }
    if asked.is_empty() {
        return Err(Wrong::here(
            "invalid_request",
            "Missing required parameter: scope",
        ));
    }
    Ok(asked)
}

/// Whether the parameter is the second of two values. The first one is the default.
fn parse_choice(query: &Query, name: &str, [no, yes]: [&str; 2]) -> Result<bool, Wrong> {
    match query.first(name) {
        None => Ok(false),
        Some(value) if value == no => Ok(false),
        Some(value) if value == yes => Ok(true),
        Some(value) => Err(Wrong::here(
            "invalid_request",
            format!("Invalid {name}: {value}"),
        )),
    }
}

/// The host `openidconnect.googleapis.com`.
pub(crate) fn userinfo(state: &mut State, request: &Request) -> Response {
    if request.path != "/v1/userinfo" {
        return pages::not_found(request);
    }
    if !matches!(request.method.as_str(), "GET" | "POST") {
        return pages::wrong_method(request);
    }
    let Ok(caller) = check::identify(state, request) else {
        return refused(
            StatusCode::UNAUTHORIZED,
            "invalid_request",
            "Invalid Credentials",
        );
    };
    let has = |name: &str| {
        caller
            .scopes
            .iter()
            .any(|scope| scope == name || scope.ends_with(&format!("/userinfo.{name}")))
    };
    if !["openid", "email", "profile"].into_iter().any(has) {
        return refused(
            StatusCode::FORBIDDEN,
            "insufficient_scope",
            "Insufficient Permission",
        );
    }
    let Some(user) = users::find(&caller.user) else {
        return refused(
            StatusCode::UNAUTHORIZED,
            "invalid_request",
            "Invalid Credentials",
        );
    };
    let mut body = json!({"sub": user.subject});
    if has("email") {
        body["email"] = json!(user.email);
        body["email_verified"] = json!(true);
    }
    if has("profile") {
        let (given, family) = user.name.split_once(' ').unwrap_or((user.name, ""));
        body["name"] = json!(user.name);
        body["given_name"] = json!(given);
        body["family_name"] = json!(family);
        body["picture"] = json!(user.picture);
    }
    Response::json(StatusCode::OK, &body, true)
}

fn refused(status: StatusCode, error: &str, description: &str) -> Response {
    let challenge = format!(r#"Bearer realm="https://accounts.google.com/", error="{error}""#);
    oauth(status, error, description).with(header::WWW_AUTHENTICATE, &challenge)
}

/// `POST /revoke` with `token`: an access or a refresh token. If the client authenticates too, it can revoke only its
/// own tokens. This also revokes the user's grants to all clients of the same project (OAuth 2.0 for Web Server
/// Applications, "Revoking a token").
pub(super) fn revoke(state: &mut State, policy: &dyn Policy, request: &Request) -> Response {
    let Some(form) = request.form_parameters() else {
        return invalid("invalid_request", "The body is not a form.");
    };
    let token = match form.one("token") {
        Ok(Some(token)) if !token.is_empty() => token,
        _ => return invalid("invalid_request", "Bad Request"),
    };
    let proves = request.header("authorization").is_some() || form.first("client_secret").is_some();
    let client = proves.then(|| state.oauth.authenticated(policy, request));
    let client = match client.transpose() {
        Ok(client) => client.map(|(id, _)| id),
        Err(response) => return *response,
    };
    let same_project = |own: &str, other: &str| project_of(own) == project_of(other);
    if state
        .oauth
        .revoke(state.now, token, client.as_deref(), same_project)
    {
        Response::json(StatusCode::OK, &json!({}), true)
    } else {
        invalid("invalid_token", "Token expired or revoked")
    }
}

fn invalid(error: &str, description: &str) -> Response {
    oauth(StatusCode::BAD_REQUEST, error, description)
}
