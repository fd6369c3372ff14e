//! The authorization page and its form.

use super::{
    Incoming, Pkce, Server,
    grants::{Asked, Terms},
    policy::{Policy, Wrong},
    redirect_back,
    token::is_challenge,
};
use crate::{
    pages::{self, Consent},
    request::Query,
    response::Response,
};

/// Shows the page.
pub(super) fn show(
    server: &mut Server,
    policy: &mut dyn Policy,
    incoming: &mut Incoming<'_>,
) -> Response {
    let query = incoming.request.query_parameters();
    let mut asked = match client(server, incoming, &query) {
        Ok(asked) => asked,
        Err(wrong) => return policy.problem(&wrong),
    };
    let read =
        parameters(server, &query, &mut asked).and_then(|()| policy.read(&query, &mut asked));
    if let Err(wrong) = read {
        return tell(server, policy, &asked, &wrong);
    }
    let page = policy.page(&query, &asked);
    let path = server.profile.consent_path;
    let (host, client) = (asked.host.clone(), asked.client_id.clone());
    let id = server.grants.add_request(incoming.ids, asked);
    pages::consent(&Consent {
        title: page.title,
        client,
        asks: page.asks,
        action: format!("/{host}{path}{id}"),
        host,
        id,
        people: page.people,
        permissions: page.permissions,
    })
}

/// Checks the client. Unknown parameters are ignored, and none may repeat (RFC 6749, section 3.1).
fn client(server: &Server, incoming: &Incoming<'_>, query: &Query) -> Result<Asked, Wrong> {
    if let Some(name) = query.repeated_name() {
        let text = format!("Parameter given more than once: {name}");
        return Err(Wrong::here("invalid_request", text));
    }
    let client_id = required(query, "client_id")?;
    let client = server.clients.find(client_id);
    let client =
        client.ok_or_else(|| Wrong::here("invalid_client", "The OAuth client was not found."))?;
    let redirect_uri = required(query, "redirect_uri")?;
    if !client.accepts(server.profile.compared(redirect_uri)) {
        let text = format!("The redirect URI {redirect_uri} is not registered for this client.");
        return Err(Wrong::here("redirect_uri_mismatch", text));
    }
    let state = query.first("state");
    let longest = server.profile.longest_state;
    if state.is_some_and(|state| {
        longest.is_some_and(|longest| state.len() > longest || !state.is_ascii())
    }) {
        let text = "The parameter state is too long or not ASCII.";
        return Err(Wrong::here("invalid_request", text));
    }
    Ok(Asked {
        host: incoming.request.host.clone(),
        client_id: client_id.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        state: state.map(str::to_owned),
        ..Asked::default()
    })
}

/// Reads the parameters that every server has.
fn parameters(server: &Server, query: &Query, asked: &mut Asked) -> Result<(), Wrong> {
    let wrong = |code: &'static str, text: String| Wrong {
        code,
        text,
        goes_back: server.profile.tells_the_client,
    };
    match query.filled("response_type") {
        Some("code") => {}
        None if !server.profile.tells_the_client => return Err(missing("response_type")),
        _ => {
            let text = "Only the response type \"code\" is supported here.".to_owned();
            return Err(wrong("unsupported_response_type", text));
        }
    }
    // Google also allows the method `plain`. It reveals the verifier to everyone who sees the request, so the sandbox
    // refuses it (RFC 9700, section 2.1.1).
    let given = (
        query.first("code_challenge"),
        query.first("code_challenge_method"),
    );
    asked.challenge = match (server.profile.pkce, given) {
        (Pkce::Ignored, _) | (Pkce::Optional, (None, None)) => None,
        (_, (Some(challenge), Some("S256"))) if is_challenge(challenge) => {
            Some(challenge.to_owned())
        }
        _ => {
            let text = "The challenge of PKCE is missing, malformed, or not of the method S256.";
            return Err(wrong("invalid_request", text.to_owned()));
        }
    };
    Ok(())
}

/// Handles the submitted form: `user`, `action`, and the fields that the policy reads.
pub(super) fn submit(
    server: &mut Server,
    policy: &mut dyn Policy,
    incoming: &mut Incoming<'_>,
    id: &str,
) -> Response {
    let (asked, form, user) = match submitted(server, policy, incoming, id) {
        Ok(submitted) => submitted,
        Err(wrong) => return policy.problem(&wrong),
    };
    let Some(user) = user else {
        server.grants.take_request(id);
        return tell(server, policy, &asked, &Wrong::back("access_denied"));
    };
    match policy.allow(&form, &asked, &user) {
        Ok(terms) => {
            server.grants.take_request(id);
            allowed(server, policy, incoming, asked, &user, terms)
        }
        Err(wrong) => {
            if wrong.goes_back {
                server.grants.take_request(id);
            }
            tell(server, policy, &asked, &wrong)
        }
    }
}

/// The request, the form, and the user who allows it. The user is `None` if access is denied.
fn submitted(
    server: &Server,
    policy: &dyn Policy,
    incoming: &Incoming<'_>,
    id: &str,
) -> Result<(Asked, Query, Option<String>), Wrong> {
    let wrong = |text: &str| Wrong::here("invalid_request", text);
    let form = incoming.request.form_parameters();
    let form = form.ok_or_else(|| wrong("The body is not a form."))?;
    if form.first("request").is_some_and(|named| named != id) {
        return Err(wrong("The form belongs to another page."));
    }
    let asked = server.grants.request(id).cloned();
    let asked = asked
        .filter(|asked| asked.host == incoming.request.host)
        .ok_or_else(|| wrong("This page was submitted before, or never shown."))?;
    let user = match form.one("action") {
        Ok(Some("deny")) => None,
        Ok(Some("allow")) => {
            let user = form.first("user").filter(|email| policy.has_user(email));
            Some(user.ok_or_else(|| wrong("Choose an account."))?.to_owned())
        }
        _ => return Err(wrong("The action is allow or deny.")),
    };
    Ok((asked, form, user))
}

fn allowed(
    server: &mut Server,
    policy: &dyn Policy,
    incoming: &mut Incoming<'_>,
    asked: Asked,
    user: &str,
    terms: Terms,
) -> Response {
    let (redirect_uri, state) = (asked.redirect_uri.clone(), asked.state.clone());
    let (code, terms) = server
        .grants
        .allow(incoming.ids, incoming.now, asked, user, terms);
    let more = policy.redirect_parameters(&terms);
    let issuer = server.profile.issuer.map(|issuer| ("iss", issuer));
    let parameters: Vec<(&str, &str)> = issuer
        .into_iter()
        .chain([("code", code.as_str())])
        .chain(more.iter().map(|(name, value)| (*name, value.as_str())))
        .collect();
    redirect_back(&redirect_uri, state.as_deref(), &parameters)
}

/// Reports an error to the client, or on a page.
fn tell(server: &Server, policy: &dyn Policy, asked: &Asked, wrong: &Wrong) -> Response {
    if !wrong.goes_back {
        return policy.problem(wrong);
    }
    let issuer = server.profile.issuer.map(|issuer| ("iss", issuer));
    let parameters: Vec<_> = issuer.into_iter().chain([("error", wrong.code)]).collect();
    redirect_back(&asked.redirect_uri, asked.state.as_deref(), &parameters)
}

fn required<'query>(query: &'query Query, name: &str) -> Result<&'query str, Wrong> {
    query.filled(name).ok_or_else(|| missing(name))
}

fn missing(name: &str) -> Wrong {
    Wrong::here(
        "invalid_request",
        format!("Missing required parameter: {name}"),
    )
}
