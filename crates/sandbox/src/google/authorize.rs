//! The authorization page (OAuth 2.0 for Web Server Applications, "Set authorization parameters").

use super::{
    consent::{self, problem_page, redirect_back},
    grants::ConsentRequest,
    scopes,
};
use crate::{
    google::State,
    oauth::is_challenge,
    pages::{self, Choice, Consent, Permission},
    query::Query,
    request::Request,
    response::Response,
    users,
};

/// An error that stays on Google's page, because the client is not trusted yet.
#[derive(Debug)]
struct Problem {
    code: &'static str,
    text: String,
}

/// The host `accounts.google.com`.
pub(crate) fn respond(state: &mut State, request: &Request) -> Response {
    let response = match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/o/oauth2/v2/auth") => show(state, request),
        (_, "/o/oauth2/v2/auth") => pages::wrong_method(request),
        (method, path) => match path.strip_prefix("/consent/") {
            Some(id) if method == "POST" => consent::respond(state, request, id),
            Some(_) => pages::wrong_method(request),
            None => pages::not_found(request),
        },
    };
    pages::with_security_headers(response)
}

fn show(state: &mut State, request: &Request) -> Response {
    let query = request.query_parameters();
    match read(state, &query) {
        Ok(asked) if query.first("prompt") == Some("none") => {
            // No one is ever signed in here, so a page would be needed.
            redirect_back(&asked, &[("error", "interaction_required")])
        }
        Ok(asked) => page(state, &query, asked),
        Err(problem) => problem_page(problem.code, &problem.text),
    }
}

fn page(state: &mut State, query: &Query, asked: ConsentRequest) -> Response {
    let hint = query.first("login_hint").unwrap_or_default();
    let people = users::all().iter().map(|user| Choice {
        email: user.email.to_owned(),
        name: user.name.to_owned(),
        chosen: user.email.eq_ignore_ascii_case(hint) || user.subject == hint,
        pages: Vec::new(),
    });
    let people = people.collect();
    let permissions = asked.scopes.iter().map(|scope| Permission {
        scope: scope.clone(),
        text: scopes::description(scope),
    });
    let permissions = permissions.collect();
    let client = asked.client_id.clone();
    let id = state.grants.add_request(state.ids, asked);
    pages::consent(&Consent {
        title: "Choose an account".to_owned(),
        client,
        asks: "asks for access".to_owned(),
        action: format!("/accounts.google.com/consent/{id}"),
        id,
        people,
        permissions,
    })
}

/// Checks the parameters. Unknown ones are ignored, none may repeat (RFC 6749, section 3.1).
fn read(state: &State, query: &Query) -> Result<ConsentRequest, Problem> {
    if let Some(name) = query.repeated_name() {
        return Err(invalid("Parameter given more than once", name));
    }
    let client_id = required(query, "client_id")?;
    let client = state.clients.find(client_id).ok_or_else(|| Problem {
        code: "invalid_client",
        text: "The OAuth client was not found.".to_owned(),
    })?;
    let redirect_uri = required(query, "redirect_uri")?;
    if !client.accepts(redirect_uri) {
        return Err(Problem {
            code: "redirect_uri_mismatch",
            text: format!("The redirect URI {redirect_uri} is not registered for this client."),
        });
    }
    if required(query, "response_type")? != "code" {
        return Err(Problem {
            code: "unsupported_response_type",
            text: "Only the response type \"code\" is supported here.".to_owned(),
        });
    }
    let prompt = query.first("prompt").unwrap_or_default();
    let prompts: Vec<&str> = prompt.split(' ').filter(|word| !word.is_empty()).collect();
    let prompts_fit = match prompts.as_slice() {
        ["none"] => true,
        words => words
            .iter()
            .all(|word| matches!(*word, "consent" | "select_account")),
    };
    if !prompts_fit {
        return Err(invalid("Invalid prompt", prompt));
    }
    Ok(ConsentRequest {
        client_id: client_id.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        scopes: parse_scopes(required(query, "scope")?)?,
        state: query.first("state").map(str::to_owned),
        challenge: challenge(query)?,
        offline: parse_choice(query, "access_type", ["online", "offline"])?,
        forced: prompts.contains(&"consent"),
        merge: parse_choice(query, "include_granted_scopes", ["false", "true"])?,
    })
}

fn parse_scopes(text: &str) -> Result<Vec<String>, Problem> {
    let mut asked = Vec::new();
    for scope in text.split(' ').filter(|scope| !scope.is_empty()) {
        let known = scopes::canonical(scope).ok_or_else(|| Problem {
            code: "invalid_scope",
            text: format!("Some requested scopes were invalid: {scope}"),
        })?;
        if !asked.iter().any(|present| present == known) {
            asked.push(known.to_owned());
        }
    }
    if asked.is_empty() {
        return Err(missing("scope"));
    }
    Ok(asked)
}

/// The challenge of PKCE. Google also knows `plain`; it shows the verifier to whoever sees the request, so it
/// is refused here (RFC 9700, section 2.1.1).
fn challenge(query: &Query) -> Result<Option<String>, Problem> {
    let method = query.first("code_challenge_method");
    let Some(challenge) = query.first("code_challenge") else {
        return match method {
            None => Ok(None),
            Some(_) => Err(missing("code_challenge")),
        };
    };
    if method != Some("S256") {
        return Err(invalid(
            "Unsupported code_challenge_method",
            method.unwrap_or("plain"),
        ));
    }
    if !is_challenge(challenge) {
        return Err(invalid("Invalid code_challenge", challenge));
    }
    Ok(Some(challenge.to_owned()))
}

/// Whether the second of two values was given; the first one is the default.
fn parse_choice(query: &Query, name: &'static str, [no, yes]: [&str; 2]) -> Result<bool, Problem> {
    match query.first(name) {
        None => Ok(false),
        Some(value) if value == no => Ok(false),
        Some(value) if value == yes => Ok(true),
        Some(value) => Err(invalid(&format!("Invalid {name}"), value)),
    }
}

fn required<'query>(query: &'query Query, name: &'static str) -> Result<&'query str, Problem> {
    query.filled(name).ok_or_else(|| missing(name))
}

fn missing(name: &str) -> Problem {
    invalid("Missing required parameter", name)
}

fn invalid(what: &str, value: &str) -> Problem {
    Problem {
        code: "invalid_request",
        text: format!("{what}: {value}"),
    }
}
