//! The dashboard's part of the table of routes: each says which role it needs, and an action which route of the JSON
//! interface does the same.

use axum::{
    extract::{Request, State},
    handler::Handler,
    middleware::{Next, from_fn_with_state},
    response::Response,
};

use super::session::{self, Role, SignedIn};
use crate::{
    openapi::Signature,
    problem::Result,
    routes::{Route, get, post},
    state::ServerState,
};

/// A route of the dashboard. There is no way to make one without a role.
pub(crate) struct PageRoute {
    pub(crate) route: Route,
    /// The least role that may use it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests walk the table"))]
    pub(crate) role: Role,
    /// For an action, method and path of the JSON interface's route that does the same.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests walk the table"))]
    pub(crate) equal: Option<&'static str>,
    /// For an action on the sandbox, method and path of the sandbox's own interface that does the same.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests walk the table"))]
    pub(crate) sandbox: Option<&'static str>,
}

/// A page, which changes nothing.
pub(super) fn page<H, T>(path: &'static str, role: Role, handler: H) -> PageRoute
where
    H: Handler<T, ServerState> + Signature<T>,
    T: 'static,
{
    PageRoute {
        route: for_role(get(path, handler), role),
        role,
        equal: None,
        sandbox: None,
    }
}

/// What a form asks for. `equal` is the same in the JSON interface, such as `POST /v1/connections`.
pub(super) fn action<H, T>(
    path: &'static str,
    role: Role,
    equal: &'static str,
    handler: H,
) -> PageRoute
where
    H: Handler<T, ServerState> + Signature<T>,
    T: 'static,
{
    PageRoute {
        route: for_role(post(path, handler), role),
        role,
        equal: Some(equal),
        sandbox: None,
    }
}

/// What members do about their own session, password or second factor, which no application has.
pub(super) fn own_action<H, T>(path: &'static str, handler: H) -> PageRoute
where
    H: Handler<T, ServerState> + Signature<T>,
    T: 'static,
{
    PageRoute {
        route: for_role(post(path, handler), Role::Viewer),
        role: Role::Viewer,
        equal: None,
        sandbox: None,
    }
}

/// What a form asks of the sandbox, which is not the service's. `equal` is the same in the sandbox's own interface, such as
/// `POST /sandbox/reset`.
pub(super) fn sandbox_action<H, T>(path: &'static str, equal: &'static str, handler: H) -> PageRoute
where
    H: Handler<T, ServerState> + Signature<T>,
    T: 'static,
{
    PageRoute {
        route: for_role(post(path, handler), Role::Operator),
        role: Role::Operator,
        equal: None,
        sandbox: Some(equal),
    }
}

fn for_role(route: Route, role: Role) -> Route {
    route.map_handler(|handler| handler.route_layer(from_fn_with_state(role, check_role)))
}

/// Lets a member pass who has this role, or one that includes it.
async fn check_role(State(role): State<Role>, request: Request, next: Next) -> Result<Response> {
    session::require(request.extensions().get::<SignedIn>(), role)?;
    Ok(next.run(request).await)
}
