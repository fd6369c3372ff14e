//! The dashboard's part of the table of routes: each says which role it needs and whether it asks for a step-up, and an
//! action which route of the JSON interface does the same.

use std::borrow::Cow;

use axum::{
    extract::{Request, State},
    handler::Handler,
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use http::Method;

use super::{
    page::Page,
    session::{self, Role, SignedIn},
};
use crate::{
    problem::Result,
    routes::{Route, get, post},
    state::ServerState,
};

/// A route of the dashboard. It always has a role.
pub(crate) struct PageRoute {
    pub(crate) route: Route,
    /// The lowest role that can use it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests walk the table"))]
    pub(crate) role: Role,
    /// Whether it asks for a step-up.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests walk the table"))]
    pub(crate) step_up: StepUp,
    /// Method and path of the JSON route for the same action, if it is one.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests walk the table"))]
    pub(crate) equal: Option<Cow<'static, str>>,
    /// Method and path of the sandbox's own route for the same action, if it's about the sandbox.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests walk the table"))]
    pub(crate) sandbox: Option<&'static str>,
}

/// Whether members have to confirm their identity, unless they did within the last ten minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepUp {
    /// It destroys nothing and grants nothing.
    No,
    /// It destroys something, grants access, or lifts a block. This is the path of the page with the form, to which
    /// the browser returns afterwards. It has the parameters of the route.
    First(&'static str),
}

/// A page, which changes nothing.
pub(super) fn page<H, T>(path: &'static str, role: Role, handler: H) -> PageRoute
where
    H: Handler<T, ServerState>,
    T: 'static,
{
    PageRoute::new(get(path, handler), role, StepUp::No)
}

/// A page with the form of an action that needs a step-up. The page asks for it, so no one fills in the form
/// in vain.
pub(super) fn form_page<H, T>(path: &'static str, role: Role, handler: H) -> PageRoute
where
    H: Handler<T, ServerState>,
    T: 'static,
{
    PageRoute::new(get(path, handler), role, StepUp::First(path))
}

/// An action of a form. `equal` is the same action in the JSON interface, for example `POST /v1/connections`.
pub(super) fn action<H, T>(
    path: &'static str,
    role: Role,
    step_up: StepUp,
    equal: impl Into<Cow<'static, str>>,
    handler: H,
) -> PageRoute
where
    H: Handler<T, ServerState>,
    T: 'static,
{
    PageRoute {
        equal: Some(equal.into()),
        ..PageRoute::new(post(path, handler), role, step_up)
    }
}

/// An action on the member's own session, password or second factor. The JSON interface has no such action.
pub(super) fn own_action<H, T>(path: &'static str, step_up: StepUp, handler: H) -> PageRoute
where
    H: Handler<T, ServerState>,
    T: 'static,
{
    PageRoute::new(post(path, handler), Role::Viewer, step_up)
}

/// An action on the sandbox. `equal` is the same action in the sandbox's own interface, for example
/// `POST /sandbox/reset`.
pub(super) fn sandbox_action<H, T>(path: &'static str, equal: &'static str, handler: H) -> PageRoute
where
    H: Handler<T, ServerState>,
    T: 'static,
{
    PageRoute {
        sandbox: Some(equal),
        ..PageRoute::new(post(path, handler), Role::Operator, StepUp::No)
    }
}

impl PageRoute {
    fn new(route: Route, role: Role, step_up: StepUp) -> Self {
        let path = route.path;
        let route = match step_up {
            StepUp::No => route,
            StepUp::First(form) => route.map_endpoint(|endpoint| {
                endpoint.layer(from_fn_with_state((path, form), check_step_up))
            }),
        };
        Self {
            // The role is checked first.
            route: route
                .map_endpoint(|endpoint| endpoint.layer(from_fn_with_state(role, check_role))),
            role,
            step_up,
            equal: None,
            sandbox: None,
        }
    }
}

/// Admits members with this role, or one that includes it.
async fn check_role(State(role): State<Role>, request: Request, next: Next) -> Result<Response> {
    session::require(request.extensions().get::<SignedIn>(), role)?;
    Ok(next.run(request).await)
}

/// Admits members after a recent step-up. Others go to the page that asks for it, and from there to the form.
async fn check_step_up(
    State((path, form)): State<(&'static str, &'static str)>,
    page: Page,
    member: SignedIn,
    request: Request,
    next: Next,
) -> Response {
    if member.stepped_up {
        return next.run(request).await.into_response();
    }
    let uri = request.uri();
    let to = match uri.path_and_query() {
        Some(asked) if request.method() == Method::GET => asked.as_str().to_owned(),
        _ => filled(form, path, uri.path()),
    };
    page.step_up_first(&to)
}

/// Fills in the parameters of `form` from `given`, which is a path of the route `path`.
fn filled(form: &str, path: &str, given: &str) -> String {
    path.split('/')
        .zip(given.split('/'))
        .filter(|(name, _)| name.starts_with('{'))
        .fold(form.to_owned(), |form, (name, value)| {
            form.replace(name, value)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_the_parameters_of_its_action() {
        let path = "/dashboard/accounts/{connection_name}/{identifier}/resume";
        let given = "/dashboard/accounts/mail/a%2Fb/resume";
        let form = "/dashboard/accounts/{connection_name}/{identifier}";
        assert_eq!(filled(form, path, given), "/dashboard/accounts/mail/a%2Fb");
        assert_eq!(
            filled("/dashboard/policies", path, given),
            "/dashboard/policies"
        );
    }
}
