//! Notion's own rules for its authorization server (Notion API, "Authorization").

use std::collections::BTreeSet;

use axum::http::{StatusCode, header};
use serde_json::json;

use super::{
    State, content::Content, errors::ApiError, ids::id_of, method::Version, method::bot_id,
    rich_text, shapes,
};
use crate::{
    faults::RotationMode,
    oauth::{
        Asked, ClientAuthentication, Incoming, Issued, Page, Pkce, Policy, Profile, Terms,
        TokenError, TokenKind, TokenState, Wrong,
    },
    pages::{self, Choice},
    request::Query,
    request::Request,
    response::Response,
    shared::Ids,
    users,
};

/// Access tokens have no stated lifetime. They're valid until they're revoked, or until a fault expires them. Every
/// refresh returns a new refresh token, and presenting an old one revokes the grant. The client authenticates with
/// Basic, and bodies are JSON (Notion API, "Create a token"). A code is valid for ten minutes, which is the maximum
/// that RFC 6749, section 4.1.2, recommends.
pub(super) static PROFILE: Profile = Profile {
    authorize_path: "/v1/oauth/authorize",
    consent_path: "/v1/oauth/consent/",
    consent: "notion consent",
    code: TokenKind("03sandbox", 24),
    access: TokenKind("ntn_sandbox", 32),
    refresh: TokenKind("nrt_sandbox", 32),
    code_seconds: 600,
    access_seconds: None,
    refresh_seconds: None,
    most_refresh_tokens: None,
    refresh_token_once: false,
    rotation: RotationMode::Strict,
    single_use_parameter: None,
    is_adjustable: false,
    is_bound_to_host: false,
    pkce: Pkce::Ignored,
    client_authentication: ClientAuthentication::Basic,
    takes_json: true,
    ignores_redirect_query: false,
    tells_the_client: false,
    longest_state: None,
    issuer: None,
};

/// Answers all paths below `/v1/oauth/`.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    let mut policy = Notion {
        content: &*state.content,
    };
    let mut incoming = Incoming {
        ids: &mut *state.ids,
        now: state.now,
        request,
    };
    if let Some(page) = state.oauth.page(&mut policy, &mut incoming) {
        return page;
    }
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/v1/oauth/token") => state.oauth.token(&policy, &mut incoming),
        ("POST", "/v1/oauth/revoke") => with_token(state, request, |state, client, token| {
            if state
                .oauth
                .revoke(state.now, token, Some(client), |_, _| false)
            {
                Response::json(StatusCode::OK, &json!({"request_id": id_of(token)}), false)
            } else {
                error(
                    StatusCode::BAD_REQUEST,
                    "invalid_grant",
                    "The token is not known.",
                )
            }
        }),
        ("POST", "/v1/oauth/introspect") => with_token(state, request, |state, _, token| {
            let access = state.oauth.access(token, state.now);
            let active = matches!(access, TokenState::Alive(..));
            let body = json!({"active": active, "request_id": id_of(token)});
            Response::json(StatusCode::OK, &body, false)
        }),
        _ => policy.wrong_method(request),
    }
}

/// Handles a request about a token, from a client that must authenticate.
fn with_token(
    state: &mut State,
    request: &Request,
    then: impl Fn(&mut State, &str, &str) -> Response,
) -> Response {
    let policy = Notion {
        content: &*state.content,
    };
    match state.oauth.authenticated(&policy, request) {
        Ok((client, body)) => match body.first("token") {
            Some(token) => then(state, &client, token),
            None => invalid_request("body failed validation: body.token should be defined."),
        },
        Err(response) => *response,
    }
}

fn invalid_request(description: &str) -> Response {
    error(StatusCode::BAD_REQUEST, "invalid_request", description)
}

/// An error of the token endpoint (RFC 6749, section 5.2).
pub(super) fn error(status: StatusCode, error: &str, description: &str) -> Response {
    let body = json!({
        "error": error,
        "error_description": description,
        "request_id": id_of(description),
    });
    Response::json(status, &body, false)
}

/// Notion's policy: a user chooses pages.
struct Notion<'a> {
    content: &'a Content,
}

impl Policy for Notion<'_> {
    fn read(&self, query: &Query, asked: &mut Asked) -> Result<(), Wrong> {
        if query.first("owner") != Some("user") {
            return Err(Wrong::here("invalid_request", "Missing or invalid owner."));
        }
        asked.offline = true;
        Ok(())
    }

    fn page(&self, _: &Query, _: &Asked) -> Page {
        let people = users::all().iter().map(|user| Choice {
            email: user.email.to_owned(),
            name: user.name.to_owned(),
            chosen: false,
            pages: self
                .content
                .top_pages(user.email)
                .map(|page| (page.id.clone(), rich_text::plain(&page.title())))
                .collect(),
        });
        Page {
            title: "Share pages".to_owned(),
            asks: "asks for access to your workspace".to_owned(),
            people: people.collect(),
            permissions: Vec::new(),
        }
    }

    fn has_user(&self, email: &str) -> bool {
        users::find(email).is_some()
    }

    /// Any number of `page` parameters. For the command line, `scope=all` chooses all of the user's pages.
    fn allow(&mut self, form: &Query, _: &Asked, user: &str) -> Result<Terms, Wrong> {
        let pages = self.content.top_pages(user);
        let own: BTreeSet<String> = pages.map(|page| page.id.clone()).collect();
        let chosen: BTreeSet<String> = if form.all("scope").any(|scope| scope == "all") {
            own
        } else {
            // The form shows the pages of everyone. A user can share only their own.
            form.all("page")
                .map(str::to_owned)
                .filter(|page| own.contains(page))
                .collect()
        };
        if chosen.is_empty() {
            return Err(Wrong::here("invalid_request", "Choose at least one page."));
        }
        Ok(chosen)
    }

    fn problem(&self, wrong: &Wrong) -> Response {
        let page = pages::problem("Notion can't continue", &wrong.text);
        Response::html(StatusCode::BAD_REQUEST, page)
    }

    fn check(&self, request: &Request) -> Result<(), Box<Response>> {
        let version = Version::of(request).map(drop);
        version.map_err(|error| Box::new(error.response(&id_of(&request.path))))
    }

    /// Notion doesn't state a lifetime.
    fn tokens(&self, _: &mut Ids, issued: &Issued) -> Response {
        let user = &issued.user;
        let body = json!({
            "access_token": issued.access,
            "token_type": "bearer",
            "refresh_token": issued.refresh,
            "bot_id": bot_id(&issued.client_id, user),
            "workspace_icon": null,
            "workspace_name": shapes::WORKSPACE_NAME,
            "workspace_id": shapes::workspace_id(),
            "owner": {"type": "user", "user": users::find(user).map(shapes::person)},
            "duplicated_template_id": null,
            "request_id": id_of(&issued.access),
        });
        Response::json(StatusCode::OK, &body, false).with(header::CACHE_CONTROL, "no-store")
    }

    fn refused(&self, refused: &TokenError) -> Response {
        let description = match refused.error {
            "invalid_client" => "Client authentication failed.",
            "invalid_grant" => "Token has been expired or revoked.",
            _ => &refused.description,
        };
        error(refused.status, refused.error, description)
    }

    fn wrong_method(&self, request: &Request) -> Response {
        ApiError::url().response(&id_of(&request.path))
    }
}
