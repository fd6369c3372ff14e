//! The authorization page.

use axum::http::StatusCode;
use minijinja::{Environment, context, value::Serde};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::{
    grants::{Asked, AskedRole},
    problem,
};
use crate::{
    query::{Query, Repeated},
    request::Request,
    response::Response,
    state::State,
};

/// Length of a S256 challenge: 32 bytes in base64url (RFC 7636, section 4.2).
const CHALLENGE_LETTERS: usize = 43;
/// Longest `state` (Snowflake OAuth, "Authorization endpoint").
const LONGEST_STATE: usize = 2048;

/// Why no page is shown.
enum Stop {
    /// Told on the account's page, because the client is not trusted yet.
    Here(String),
    /// Told to the client (RFC 6749, section 4.1.2.1).
    Back(Box<Asked>, &'static str),
}

/// `GET /oauth/authorize`.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    match read(state, request) {
        Ok(asked) => page(state, asked),
        Err(Stop::Here(text)) => problem(&text),
        Err(Stop::Back(asked, error)) => go_back(&asked, &[("error", error)]),
    }
}

/// The address to go back to, with these parameters.
pub(super) fn go_back(asked: &Asked, parameters: &[(&str, &str)]) -> Response {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    if let Some(state) = &asked.state {
        query.append_pair("state", state);
    }
    let join = if asked.redirect_uri.contains('?') {
        '&'
    } else {
        '?'
    };
    Response::see_other(&format!("{}{join}{}", asked.redirect_uri, query.finish()))
}

fn page(state: &mut State, asked: Asked) -> Response {
    let users = &state.world.warehouse.users;
    let people: Vec<Value> = users
        .iter()
        .map(|user| json!({"email": user.email, "name": user.name}))
        .collect();
    let role = match &asked.role {
        AskedRole::Default => String::from("your default role"),
        AskedRole::Named(role) => format!("the role {role}"),
        AskedRole::Any => String::from("any of your roles"),
    };
    let values = context! {
        host => asked.host.clone(),
        client => asked.client_id.clone(),
        offline => asked.offline,
        role,
        people => Serde(people),
    };
    let id = state.warehouse.grants.ask(&mut state.ids, asked);
    let values = context! { request => id, ..values };
    // The name ends in .html, so that every value is escaped.
    let page =
        Environment::new().render_named_str("page.html", include_str!("consent.html"), values);
    match page {
        Ok(page) => Response::html(StatusCode::OK, page),
        Err(error) => problem(&error.to_string()),
    }
}

fn read(state: &State, request: &Request) -> Result<Asked, Stop> {
    let query = request.query_parameters();
    for (name, _) in query.iter() {
        if let Err(Repeated(name)) = query.one(name) {
            return Err(Stop::Here(format!("{name} was given more than once.")));
        }
    }
    let client_id = required(&query, "client_id")?;
    let client = state
        .warehouse
        .clients
        .find(client_id)
        .ok_or_else(|| Stop::Here("This is an invalid client.".to_owned()))?;
    let redirect_uri = required(&query, "redirect_uri")?;
    if !client.accepts(redirect_uri.split('?').next().unwrap_or_default()) {
        return Err(Stop::Here(
            "The redirect URI does not match the one that is specified in the OAuth client integration.".to_owned(),
        ));
    }
    let told = query.first("state");
    if told.is_some_and(|told| told.len() > LONGEST_STATE || !told.is_ascii()) {
        return Err(Stop::Here(
            "The parameter state is too long or not ASCII.".to_owned(),
        ));
    }
    let mut asked = Asked {
        host: request.host.clone(),
        client_id: client_id.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        state: told.map(str::to_owned),
        challenge: None,
        offline: false,
        role: AskedRole::Default,
    };
    if query.first("response_type") != Some("code") {
        return Err(Stop::Back(Box::new(asked), "unsupported_response_type"));
    }
    match challenge(&query) {
        Ok(challenge) => asked.challenge = challenge,
        Err(()) => return Err(Stop::Back(Box::new(asked), "invalid_request")),
    }
    for scope in query
        .first("scope")
        .unwrap_or_default()
        .split(' ')
        .filter(|scope| !scope.is_empty())
    {
        match (role_of(scope), &asked.role) {
            (None, _) if scope == "refresh_token" => asked.offline = true,
            (Some(role), AskedRole::Default) => asked.role = role,
            // Another role, or a scope that there is not, such as offline_access.
            _ => return Err(Stop::Back(Box::new(asked), "invalid_scope")),
        }
    }
    Ok(asked)
}

/// The role that a scope asks for; names are case-sensitive.
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

/// The challenge of PKCE. The integration enforces it (`OAUTH_ENFORCE_PKCE`), and S256 is the only method.
fn challenge(query: &Query) -> Result<Option<String>, ()> {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    match (
        query.first("code_challenge"),
        query.first("code_challenge_method"),
    ) {
        (Some(challenge), Some("S256"))
            if challenge.len() == CHALLENGE_LETTERS && challenge.bytes().all(letters) =>
        {
            Ok(Some(challenge.to_owned()))
        }
        _ => Err(()),
    }
}

fn required<'query>(query: &'query Query, name: &str) -> Result<&'query str, Stop> {
    let value = query.first(name).filter(|value| !value.is_empty());
    value.ok_or_else(|| Stop::Here(format!("The parameter {name} is missing.")))
}
