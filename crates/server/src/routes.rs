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

/// A router of these routes. Those of one path become one route of several methods. A slash at the end makes no
/// difference, but in what is passed on to a product.
pub(crate) fn router(routes: impl IntoIterator<Item = Route>) -> Router<ServerState> {
    routes
        .into_iter()
        .fold(Router::new(), |router, Route { path, handler, .. }| {
            if path.ends_with(['/', '}']) && path.starts_with("/proxy/") || path == "/" {
                return router.route(path, handler);
            }
            let with_slash = format!("{path}/");
            router
                .route(path, handler.clone())
                .route(&with_slash, handler)
        })
}
