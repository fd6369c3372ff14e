//! The table of routes: what the router is built from is also what the tests walk, so that no route can be forgotten.

use axum::{
    Router,
    handler::Handler,
    routing::{self, MethodRouter},
};

use crate::state::ServerState;

/// One method of one path.
pub(crate) struct Route {
    /// `ANY` where every method is taken.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests walk the table"))]
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    handler: MethodRouter<ServerState>,
}

macro_rules! methods {
    ($($function:ident $name:literal)*) => {$(
        pub(crate) fn $function<H, T>(path: &'static str, handler: H) -> Route
        where
            H: Handler<T, ServerState>,
            T: 'static,
        {
            Route {
                method: $name,
                path,
                handler: routing::$function(handler),
            }
        }
    )*};
}

methods! { any "ANY" delete "DELETE" get "GET" patch "PATCH" post "POST" }

/// A router of these routes. Those of one path become one route of several methods.
pub(crate) fn router(routes: impl IntoIterator<Item = Route>) -> Router<ServerState> {
    routes
        .into_iter()
        .fold(Router::new(), |router, Route { path, handler, .. }| {
            router.route(path, handler)
        })
}
