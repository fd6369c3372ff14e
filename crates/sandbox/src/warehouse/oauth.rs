//! Snowflake's own rules for an account's authorization server (Snowflake OAuth, "Configure Snowflake OAuth for custom
//! clients" and "OAuth endpoints"). Each account has its own host.

use axum::http::{StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::json;

use super::{State, account::Account, errors::oauth};
use crate::{
    faults::RotationMode,
    oauth::{
        Asked, ClientAuthentication, Incoming, Issued, Page, Pkce, Policy, Profile, Terms,
        TokenError, TokenKind, Wrong,
    },
    pages::{self, Choice},
    request::Query,
    request::Request,
    response::Response,
    shared::Ids,
};

/// The path of the token endpoint.
pub(super) const TOKEN_PATH: &str = "/oauth/token-request";

/// Roles that integrations block by default (`OAUTH_ADD_PRIVILEGED_ROLES_TO_BLOCKED_LIST`).
const BLOCKED: [&str; 4] = [
    "ACCOUNTADMIN",
    "SECURITYADMIN",
    "ORGADMIN",
    "GLOBALORGADMIN",
];

/// Access tokens are valid for ten minutes (Snowflake OAuth, "Access tokens"). Refresh tokens are valid for the maximum
/// of `OAUTH_REFRESH_TOKEN_VALIDITY`. The integration enforces PKCE (`OAUTH_ENFORCE_PKCE`). `Rotating` means an
/// integration that requires single-use refresh tokens.
pub(super) static PROFILE: Profile = Profile {
    authorize_path: "/oauth/authorize",
    consent_path: "/oauth/consent/",
    consent: "snowflake consent",
    code: TokenKind("sandbox-code-", 32),
    access: TokenKind("ver:1-hint:sandbox-", 60),
    refresh: TokenKind("ver:2-hint:sandbox-did:", 60),
    code_seconds: 60,
    access_seconds: Some(600),
    refresh_seconds: Some(7_776_000),
    most_refresh_tokens: None,
    refresh_token_once: false,
    rotation: RotationMode::Stable,
    single_use_parameter: Some("enable_single_use_refresh_tokens"),
    is_adjustable: true,
    is_bound_to_host: true,
    pkce: Pkce::Required,
    client_authentication: ClientAuthentication::Basic,
    takes_json: false,
    ignores_redirect_query: true,
    tells_the_client: true,
    longest_state: Some(2048),
    issuer: None,
};

/// Answers all paths below `/oauth/`.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    let mut policy = Snowflake {
        account: &*state.account,
    };
    let mut incoming = Incoming {
        ids: &mut *state.ids,
        now: state.now,
        request,
    };
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", TOKEN_PATH) => state.oauth.token(&policy, &mut incoming),
        (_, TOKEN_PATH) => pages::wrong_method(request),
        _ => {
            let page = state.oauth.page(&mut policy, &mut incoming);
            page.unwrap_or_else(|| pages::not_found(request))
        }
    }
}

/// Snowflake's policy: a session has one role, or any of the user's roles.
struct Snowflake<'a> {
    account: &'a Account,
}

/// The role that the scopes ask for.
enum AskedRole {
    /// No role, which means the user's default role.
    Default,
    /// `session:role:…`, or its encoded form.
    Named(String),
    /// `session:role-any`.
    Any,
}

impl Policy for Snowflake<'_> {
    fn read(&self, query: &Query, asked: &mut Asked) -> Result<(), Wrong> {
        let scopes = query.first("scope").unwrap_or_default().split(' ');
        for scope in scopes.filter(|scope| !scope.is_empty()) {
            match role_of(scope) {
                None if scope == "refresh_token" => asked.offline = true,
                Some(_) if asked.scopes.is_empty() => asked.scopes.push(scope.to_owned()),
                // A second role, or an unknown scope such as offline_access.
                _ => return Err(Wrong::back("invalid_scope")),
            }
        }
        Ok(())
    }

    fn page(&self, _: &Query, asked: &Asked) -> Page {
        let users = self.account.users.iter().enumerate();
        let people = users.map(|(index, user)| Choice {
            email: user.email.to_owned(),
            name: user.name.to_owned(),
            chosen: index == 0,
            pages: Vec::new(),
        });
        let role = match asked_role(asked) {
            AskedRole::Default => String::from("your default role"),
            AskedRole::Named(role) => format!("the role {role}"),
            AskedRole::Any => String::from("any of your roles"),
        };
        let when = if asked.offline {
            ", also while you are away"
        } else {
            ""
        };
        Page {
            title: format!("Sign in to {}", asked.host),
            asks: format!("asks to run statements with {role}{when}"),
            people: people.collect(),
            permissions: Vec::new(),
        }
    }

    fn has_user(&self, email: &str) -> bool {
        self.account.person(email).is_some()
    }

    /// The user allows everything or nothing. The terms are the role, or empty for any role.
    fn allow(&mut self, _: &Query, asked: &Asked, user: &str) -> Result<Terms, Wrong> {
        let invalid = || Wrong::here("invalid_request", "Invalid consent request.");
        let person = self.account.person(user).ok_or_else(invalid)?;
        let role = match asked_role(asked) {
            AskedRole::Default => person.default_role().to_owned(),
            AskedRole::Named(role) => role,
            AskedRole::Any => return Ok(Terms::new()),
        };
        if BLOCKED.contains(&role.as_str()) || !person.has_role(&role) {
            return Err(invalid());
        }
        Ok(Terms::from([role]))
    }

    fn problem(&self, wrong: &Wrong) -> Response {
        let page = pages::problem("Sign-in failed", &wrong.text);
        Response::html(StatusCode::BAD_REQUEST, page)
    }

    /// The user's name and the refresh token are issued only for a code, unless refresh tokens work only once.
    fn tokens(&self, _: &mut Ids, issued: &Issued) -> Response {
        let offline = issued.offline.then(|| "refresh_token".to_owned());
        let role = issued.terms.first().map(|role| role_scope(role));
        let scopes: Vec<String> = offline.into_iter().chain(role).collect();
        let mut body = json!({
            "access_token": issued.access,
            "expires_in": issued.seconds,
            "token_type": "Bearer",
            "scope": scopes.join(" "),
            "idpInitiated": false,
        });
        if issued.by_code
            && let Some(person) = self.account.person(&issued.user)
        {
            body["username"] = json!(person.name);
        }
        if let Some(refresh) = &issued.refresh {
            body["refresh_token"] = json!(refresh);
            body["refresh_token_expires_in"] = json!(7_775_999);
        }
        Response::json(StatusCode::OK, &body, false)
            .with(header::CACHE_CONTROL, "no-store")
            .with(header::PRAGMA, "no-cache")
    }

    fn refused(&self, error: &TokenError) -> Response {
        let message = match error.error {
            "invalid_client" => "This is an invalid client.",
            "invalid_grant" => "This is an invalid grant.",
            "unsupported_grant_type" => "This grant type is not supported.",
            _ => "This is an invalid request.",
        };
        oauth(error.status, error.error, message)
    }
}

fn asked_role(asked: &Asked) -> AskedRole {
    let role = asked.scopes.first().and_then(|scope| role_of(scope));
    role.unwrap_or(AskedRole::Default)
}

/// The role that a scope asks for. Names are case-sensitive.
fn role_of(scope: &str) -> Option<AskedRole> {
    if scope == "session:role-any" {
        return Some(AskedRole::Any);
    }
    if let Some(name) = scope.strip_prefix("session:role:") {
        return (!name.is_empty()).then(|| AskedRole::Named(name.to_owned()));
    }
    let encoded = scope.strip_prefix("session:role-encoded:")?;
    let name = percent_decode_str(encoded).decode_utf8().ok()?;
    (!name.is_empty()).then(|| AskedRole::Named(name.into_owned()))
}

/// The scope of a role. Special characters are encoded.
fn role_scope(role: &str) -> String {
    let plain = role
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain {
        return format!("session:role:{role}");
    }
    format!(
        "session:role-encoded:{}",
        utf8_percent_encode(role, NON_ALPHANUMERIC)
    )
}
