//! The submitted consent page.

use std::collections::BTreeSet;

use axum::http::StatusCode;

use super::{ISSUER, grants::ConsentRequest};
use crate::{google::State, oauth, pages, request::Request, response::Response, users};

/// `POST /consent/{request}` with `user`, `action` and any number of `scope`.
///
/// For the command line, `scope=all` (or `all=1`) ticks every box; with no `scope` at all nothing is ticked,
/// which is a denial.
pub(super) fn respond(state: &mut State, request: &Request, id: &str) -> Response {
    let Some(form) = request.form_parameters() else {
        return problem_page("invalid_request", "The body is not a form.");
    };
    if form.first("request").is_some_and(|named| named != id) {
        return problem_page("invalid_request", "The form belongs to another page.");
    }
    let Some(asked) = state.grants.request(id).cloned() else {
        return problem_page(
            "invalid_request",
            "This page was submitted before, or never shown.",
        );
    };
    match form.one("action") {
        Ok(Some("deny")) => {
            state.grants.take_request(id);
            return redirect_back(&asked, &[("error", "access_denied")]);
        }
        Ok(Some("allow")) => {}
        _ => return problem_page("invalid_request", "The action is allow or deny."),
    }
    let Some(user) = form
        .first("user")
        .and_then(users::find)
        .map(|user| user.email)
    else {
        return problem_page("invalid_request", "Choose an account.");
    };
    let all = form.first("all") == Some("1") || form.all("scope").any(|scope| scope == "all");
    let mut ticked: BTreeSet<String> = if all {
        asked.scopes.iter().cloned().collect()
    } else {
        form.all("scope").map(str::to_owned).collect()
    };
    if !ticked.iter().all(|scope| asked.scopes.contains(scope)) {
        return problem_page(
            "invalid_scope",
            "A scope was ticked that was not asked for.",
        );
    }
    state.grants.take_request(id);
    for lost in std::mem::take(state.lost_scopes) {
        ticked.remove(&lost);
    }
    let allowed = state
        .grants
        .allow(state.ids, state.now, asked.clone(), user, ticked);
    let Some((code, scopes)) = allowed else {
        return redirect_back(&asked, &[("error", "access_denied")]);
    };
    let scope = scopes.into_iter().collect::<Vec<_>>().join(" ");
    redirect_back(
        &asked,
        &[
            ("code", &code),
            ("scope", &scope),
            ("authuser", "0"),
            ("prompt", "consent"),
        ],
    )
}

/// An error page with Google's code for it.
pub(super) fn problem_page(code: &str, text: &str) -> Response {
    Response::html(
        StatusCode::BAD_REQUEST,
        pages::problem(
            "Access blocked: Authorization Error",
            &format!("Error 400: {code}. {text}"),
        ),
    )
}

/// Sends the browser back with these parameters and the issuer (RFC 9207).
pub(super) fn redirect_back(request: &ConsentRequest, parameters: &[(&str, &str)]) -> Response {
    let issuer = [("iss", ISSUER)];
    let parameters: Vec<(&str, &str)> = issuer
        .into_iter()
        .chain(parameters.iter().copied())
        .collect();
    oauth::redirect_back(&request.redirect_uri, request.state.as_deref(), &parameters)
}
