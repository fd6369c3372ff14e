//! The table of routes: what the router is built from is also what the tests walk, so that no route can be forgotten.

use axum::{
    Router,
    handler::Handler,
    routing::{self, MethodRouter},
};
use stead::{ErrorKind, core::scope::ScopeName};

use crate::{
    openapi::{Draft, Operation, Parameter, Signature},
    state::ServerState,
};

/// One method of one path.
pub(crate) struct Route {
    /// `ANY` where every method is taken.
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// Which scope of an application opens it, where one is needed.
    pub(crate) scope: Option<ScopeName>,
    /// What the interface's description says of it.
    pub(crate) operation: Operation,
    handler: MethodRouter<ServerState>,
}

/// A route of applications, which says what a caller needs for it. There is no other way to make one.
pub(crate) struct ForApplications(pub(crate) Route);

impl Route {
    /// What it does, in a few words. A route without is served, and not part of the interface.
    pub(crate) fn summary(mut self, summary: &'static str) -> Self {
        self.operation.summary = Some(summary);
        self
    }

    /// The parameters of its query.
    pub(crate) fn query(mut self, query: &'static [&'static [Parameter]]) -> Self {
        self.operation.query = query;
        self
    }

    /// Kinds of errors that it can end with, besides those which its form gives it: by its parameters, its body and its
    /// caller.
    pub(crate) fn errors(mut self, kinds: &'static [ErrorKind]) -> Self {
        self.operation.errors = kinds;
        self
    }

    /// It sends requests to a product, and can end as these can.
    pub(crate) fn calls(mut self) -> Self {
        self.operation.calls = true;
        self
    }

    /// What the signature of its handler leaves open.
    pub(crate) fn describe(mut self, more: fn(&mut Draft<'_>)) -> Self {
        self.operation.more = Some(more);
        self
    }

    /// Only callers with this scope; where it can be given for one product, core looks at the product.
    pub(crate) fn needs(self, scope: ScopeName) -> ForApplications {
        ForApplications(Self {
            scope: Some(scope),
            ..self
        })
    }

    /// With something around its handler.
    #[cfg(feature = "dashboard")]
    pub(crate) fn map_handler(
        self,
        around: impl FnOnce(MethodRouter<ServerState>) -> MethodRouter<ServerState>,
    ) -> Self {
        Self {
            handler: around(self.handler),
            ..self
        }
    }

    /// Every caller with a token.
    pub(crate) fn needs_no_scope(self) -> ForApplications {
        ForApplications(self)
    }
}

macro_rules! methods {
    ($($function:ident $name:literal)*) => {$(
        pub(crate) fn $function<H, T>(path: &'static str, handler: H) -> Route
        where
            H: Handler<T, ServerState> + Signature<T>,
            T: 'static,
        {
            Route {
                method: $name,
                path,
                scope: None,
                operation: Operation::of::<H>(H::describe),
                handler: routing::$function(handler),
            }
        }
    )*};
}

methods! { any "ANY" delete "DELETE" get "GET" patch "PATCH" post "POST" put "PUT" }

/// A router of these routes, with `around` around the handler of each, which is told the scope that opens it. Those of one
/// path become one route of several methods. A slash at the end makes no difference, but in what is passed on to a product.
pub(crate) fn router(
    routes: impl IntoIterator<Item = Route>,
    around: impl Fn(MethodRouter<ServerState>, Option<ScopeName>) -> MethodRouter<ServerState>,
) -> Router<ServerState> {
    routes.into_iter().fold(Router::new(), |router, route| {
        let (path, handler) = (route.path, around(route.handler, route.scope));
        if path.ends_with(['/', '}']) && path.starts_with("/proxy/") || path == "/" {
            return router.route(path, handler);
        }
        let with_slash = format!("{path}/");
        router
            .route(path, handler.clone())
            .route(&with_slash, handler)
    })
}
