//! The submitted authorization page.

use std::collections::BTreeSet;

use super::problem;
use crate::{oauth::redirect_back, request::Request, response::Response, users, workspace::State};

/// `POST /v1/oauth/consent/{request}` with `user`, `action` and any number of `page`. For the command line,
/// `scope=all` chooses all pages of the user.
pub(super) fn respond(state: &mut State, request: &Request, id: &str) -> Response {
    let Some(form) = request.form_parameters() else {
        return problem("The body is not a form.");
    };
    let Some(asked) = state.grants.request(id).cloned() else {
        return problem("This page was submitted before, or never shown.");
    };
    let back = |parameters: &[(&str, &str)]| {
        redirect_back(&asked.redirect_uri, asked.state.as_deref(), parameters)
    };
    match form.one("action") {
        Ok(Some("deny")) => {
            state.grants.take_request(id);
            return back(&[("error", "access_denied")]);
        }
        Ok(Some("allow")) => {}
        _ => return problem("The action is allow or deny."),
    }
    let user = form.first("user").and_then(users::find);
    let Some(user) = user.map(|user| user.email) else {
        return problem("Choose an account.");
    };
    let own: BTreeSet<String> = state
        .content
        .top_pages(user)
        .map(|page| page.id.clone())
        .collect();
    let chosen: BTreeSet<String> = if form.all("scope").any(|scope| scope == "all") {
        own
    } else {
        // The form shows the pages of all people; those of others are not this one's to share.
        form.all("page")
            .map(str::to_owned)
            .filter(|page| own.contains(page))
            .collect()
    };
    if chosen.is_empty() {
        return problem("Choose at least one page.");
    }
    state.grants.take_request(id);
    let code = state
        .grants
        .add(state.ids, state.now, (asked.clone(), user, chosen), true);
    back(&[("code", &code)])
}
