use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, Uri};
use stead::core::{
    environment::Environment,
    oauth::{Callback, FinishedAuthorization},
    resource::AccountState,
};
use url::form_urlencoded;

use crate::{
    address,
    boundary::{self, RequestId},
    connect::Cookie,
    extract::Path,
    pages::Pages,
    problem::Problem,
};

/// `GET /sso/v1/oauth/{connection_id}/callback`: the user comes back from the product. Always answers with a redirect,
/// so that code and state leave the address bar and the history (RFC 9700, section 4.3.1).
pub(super) async fn finish(
    State(environment): State<Environment>,
    State(pages): State<Arc<Pages>>,
    id: RequestId,
    connection_id: Result<Path<String>, Problem>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let cookie = Cookie::of(&environment);
    let callback = read(uri.query().unwrap_or_default());
    let finished = match connection_id {
        Ok(Path(connection_id)) => {
            let browser = |authorization| cookie.read(&headers, authorization);
            environment
                .finish_authorization(&connection_id, callback, browser)
                .await
        }
        Err(problem) => Err(problem.error),
    };
    match finished {
        Ok(finished) => {
            let there = finished
                .return_to
                .clone()
                .unwrap_or_else(|| done(&environment, &finished));
            pages.redirect(&there, cookie.end(finished.authorization_id))
        }
        Err(error) => {
            boundary::report(&error);
            let there = address(
                &environment,
                &format!("/connect/failed?kind={}&id={id}", error.kind()),
            );
            pages.redirect(&there, None)
        }
    }
}

/// Our own page, for an application that wants nobody back.
fn done(environment: &Environment, finished: &FinishedAuthorization) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("product", finished.product_title);
    if finished.account_state == AccountState::PendingVerification {
        query.append_pair("next", "confirm");
    }
    address(environment, &format!("/connect/done?{}", query.finish()))
}

/// The parameters of RFC 6749, section 4.1.2, and RFC 9207. None is read where one comes twice, which those forbid:
/// nobody can say which of the two is meant.
fn read(query: &str) -> Callback {
    let mut callback = Callback::default();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let member = match name.as_ref() {
            "state" => &mut callback.state,
            "code" => &mut callback.code,
            "iss" => &mut callback.iss,
            "error" => &mut callback.error,
            "error_description" => &mut callback.error_description,
            _ => continue,
        };
        if member.is_some() {
            return Callback::default();
        }
        *member = Some(value.into_owned()).filter(|value| !value.is_empty());
    }
    callback
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_once() {
        let callback =
            read("state=a%2Bb&code=4%2F0A&iss=https%3A%2F%2Fas.test&scope=x&authuser=0&error=");
        assert_eq!(callback.state.as_deref(), Some("a+b"));
        assert_eq!(callback.code.as_deref(), Some("4/0A"));
        assert_eq!(callback.iss.as_deref(), Some("https://as.test"));
        assert_eq!(callback.error, None);
        assert_eq!(read("state=a&code=c&iss=x&iss=y").state, None);
    }
}
