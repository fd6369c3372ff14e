//! The authorization page.

use percent_encoding::percent_decode_str;

use super::{
    grants::{AskedRole, ConsentRequest},
    problem,
};
use crate::{
    oauth::{self, is_challenge},
    pages::{self, Choice, Consent},
    query::Query,
    request::Request,
    response::Response,
    warehouse::State,
};

/// Longest `state` (Snowflake OAuth, "Authorization endpoint").
const LONGEST_STATE: usize = 2048;

/// Why no page is shown.
enum Refused {
    /// Shown on the account's page, because the client is not trusted yet.
    Here(String),
    /// Sent to the client (RFC 6749, section 4.1.2.1).
    Back(Box<ConsentRequest>, &'static str),
}

/// `GET /oauth/authorize`.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    match read(state, request) {
        Ok(asked) => page(state, asked),
        Err(Refused::Here(text)) => problem(&text),
        Err(Refused::Back(asked, error)) => redirect_back(&asked, &[("error", error)]),
    }
}

/// Sends the browser back to the client with these parameters.
pub(super) fn redirect_back(asked: &ConsentRequest, parameters: &[(&str, &str)]) -> Response {
    oauth::redirect_back(&asked.redirect_uri, asked.state.as_deref(), parameters)
}

fn page(state: &mut State, asked: ConsentRequest) -> Response {
    let users = state.account.users.iter().enumerate();
    let people = users.map(|(index, user)| Choice {
        email: user.email.to_owned(),
        name: user.name.to_owned(),
        chosen: index == 0,
        pages: Vec::new(),
    });
    let people = people.collect();
    let role = match &asked.role {
        AskedRole::Default => String::from("your default role"),
        AskedRole::Named(role) => format!("the role {role}"),
        AskedRole::Any => String::from("any of your roles"),
    };
    let when = if asked.offline {
        ", also while you are away"
    } else {
        ""
    };
    let (host, client) = (asked.host.clone(), asked.client_id.clone());
    let id = state.grants.add_request(state.ids, asked);
    pages::consent(&Consent {
        title: format!("Sign in to {host}"),
        client,
        asks: format!("asks to run statements with {role}{when}"),
        action: format!("/{host}/oauth/consent/{id}"),
        id,
        people,
        permissions: Vec::new(),
    })
}

fn read(state: &State, request: &Request) -> Result<ConsentRequest, Refused> {
    let query = request.query_parameters();
    if let Some(name) = query.repeated_name() {
        return Err(Refused::Here(format!("{name} was given more than once.")));
    }
    let client_id = required(&query, "client_id")?;
    let client = state
        .clients
        .find(client_id)
        .ok_or_else(|| Refused::Here("This is an invalid client.".to_owned()))?;
    let redirect_uri = required(&query, "redirect_uri")?;
    if !client.accepts(redirect_uri.split('?').next().unwrap_or_default()) {
        return Err(Refused::Here(
            "The redirect URI does not match the one that is specified in the OAuth client integration.".to_owned(),
        ));
    }
    let client_state = query.first("state");
    if client_state
        .is_some_and(|client_state| client_state.len() > LONGEST_STATE || !client_state.is_ascii())
    {
        return Err(Refused::Here(
            "The parameter state is too long or not ASCII.".to_owned(),
        ));
    }
    let mut asked = ConsentRequest {
        host: request.host.clone(),
        client_id: client_id.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        state: client_state.map(str::to_owned),
        challenge: None,
        offline: false,
        role: AskedRole::Default,
    };
    if query.first("response_type") != Some("code") {
        return Err(Refused::Back(Box::new(asked), "unsupported_response_type"));
    }
    match challenge(&query) {
        Ok(challenge) => asked.challenge = challenge,
        Err(()) => return Err(Refused::Back(Box::new(asked), "invalid_request")),
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
            _ => return Err(Refused::Back(Box::new(asked), "invalid_scope")),
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
    match (
        query.first("code_challenge"),
        query.first("code_challenge_method"),
    ) {
        (Some(challenge), Some("S256")) if is_challenge(challenge) => {
            Ok(Some(challenge.to_owned()))
        }
        _ => Err(()),
    }
}

fn required<'query>(query: &'query Query, name: &str) -> Result<&'query str, Refused> {
    query
        .filled(name)
        .ok_or_else(|| Refused::Here(format!("The parameter {name} is missing.")))
}
