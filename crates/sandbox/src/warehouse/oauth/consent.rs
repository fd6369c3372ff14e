//! The submitted authorization page.

use super::{authorize::redirect_back, grants::AskedRole, problem};
use crate::{request::Request, response::Response, warehouse::State};

/// Roles that no integration lets through by default (`OAUTH_ADD_PRIVILEGED_ROLES_TO_BLOCKED_LIST`).
const BLOCKED: [&str; 4] = [
    "ACCOUNTADMIN",
    "SECURITYADMIN",
    "ORGADMIN",
    "GLOBALORGADMIN",
];

/// `POST /oauth/consent/{request}` with `user` and `action`. There is nothing to tick: a user takes it or
/// leaves it.
pub(super) fn respond(state: &mut State, request: &Request, id: &str) -> Response {
    let Some(form) = request.form_parameters() else {
        return problem("The body is not a form.");
    };
    if form.first("request").is_some_and(|named| named != id) {
        return problem("The form belongs to another page.");
    }
    let action = form.one("action").ok().flatten().unwrap_or_default();
    let person = form
        .first("user")
        .and_then(|email| state.account.person(email));
    let (email, roles) = match (action, person) {
        ("deny", _) => ("", None),
        ("allow", Some(person)) => (person.email, Some(person.clone())),
        ("allow", None) => return problem("Choose a user."),
        _ => return problem("The action is allow or deny."),
    };
    let Some(asked) = state
        .grants
        .take_request(id)
        .filter(|asked| asked.host == request.host)
    else {
        return problem("This page was submitted before, or never shown.");
    };
    let Some(person) = roles else {
        return redirect_back(&asked, &[("error", "access_denied")]);
    };
    let role = match &asked.role {
        AskedRole::Default => Some(person.default_role().to_owned()),
        AskedRole::Named(role) => Some(role.clone()),
        AskedRole::Any => None,
    };
    if role
        .as_ref()
        .is_some_and(|role| BLOCKED.contains(&role.as_str()) || !person.has_role(role))
    {
        return problem("Invalid consent request.");
    }
    let code = state
        .grants
        .allow(state.ids, state.now, asked.clone(), email, role);
    redirect_back(&asked, &[("code", &code)])
}
