//! The table of routes. The router is built from it and the tests walk it, so that no route can be forgotten.

use std::{pin::Pin, sync::Arc};

use axum::{
    Router,
    extract::Request,
    handler::Handler,
    response::Response,
    routing::{self, MethodRouter},
};
use stead::{
    Error, ErrorKind,
    core::{boxed::boxed, scope::ScopeName},
};

use crate::{
    openapi::{Draft, Operation, Parameter},
    problem::Problem,
    state::ServerState,
};

/// One method of one path.
pub(crate) struct Route {
    /// [`ANY`] if the route accepts every method.
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// The scope that an application needs, if any.
    pub(crate) scope: Option<ScopeName>,
    /// The document's description of it.
    pub(crate) operation: Operation,
    handler: MethodRouter<ServerState>,
}

/// A handler of any type. If axum saw each handler's own type, it would generate code for each.
#[derive(Clone)]
struct Erased(Arc<dyn Fn(Request, ServerState) -> Responding + Send + Sync>);

type Responding = Pin<Box<dyn Future<Output = Response> + Send>>;

impl Erased {
    fn new<H, T>(handler: H) -> Self
    where
        H: Handler<T, ServerState>,
        T: 'static,
    {
        Self(Arc::new(move |request, state| {
            boxed(|| handler.clone().call(request, state))
        }))
    }
}

impl Handler<(), ServerState> for Erased {
    type Future = Responding;

    fn call(self, request: Request, state: ServerState) -> Responding {
        self.0(request, state)
    }
}

/// A route for applications, with the scope that callers need. There is no other way to create one.
pub(crate) struct ForApplications(pub(crate) Route);

impl Route {
    /// A route that isn't part of the interface.
    pub(crate) fn new<H, T>(method: &'static str, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, ServerState>,
        T: 'static,
    {
        let handler = Erased::new(handler);
        let handler = match method {
            ANY => routing::any(handler),
            "DELETE" => routing::delete(handler),
            "PATCH" => routing::patch(handler),
            "POST" => routing::post(handler),
            "PUT" => routing::put(handler),
            _ => routing::get(handler),
        };
        Self {
            method,
            path,
            scope: None,
            operation: Operation::NONE,
            handler,
        }
    }

    /// The same as part of the interface.
    pub(crate) fn described(self, operation: Operation) -> Self {
        Self { operation, ..self }
    }

    /// Its action, in one word and in one sentence. A route without them isn't part of the interface.
    pub(crate) fn summary(mut self, name: &'static str, summary: &'static str) -> Self {
        self.operation.name = name;
        self.operation.summary = Some(summary);
        self
    }

    /// The parameters of its query.
    pub(crate) fn query(mut self, query: &'static [&'static [Parameter]]) -> Self {
        self.operation.query = query;
        self
    }

    /// Additional kinds of errors. Those that follow from its parameters, its body and its caller needn't be listed.
    pub(crate) fn errors(mut self, kinds: &'static [ErrorKind]) -> Self {
        self.operation.errors = kinds;
        self
    }

    /// Marks it as a route that sends requests to a product, and adds the errors of such requests.
    pub(crate) fn calls(mut self) -> Self {
        self.operation.calls = true;
        self
    }

    /// Adds its body and its responses.
    pub(crate) fn describe(mut self, describe: fn(&mut Draft<'_>)) -> Self {
        self.operation.describe = describe;
        self
    }

    /// Restricts it to callers with this scope. If a scope can be given for one product, core checks the product.
    pub(crate) fn needs(self, scope: ScopeName) -> ForApplications {
        ForApplications(Self {
            scope: Some(scope),
            ..self
        })
    }

    /// Adds a layer around its handler.
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

    /// Allows every caller with a token.
    pub(crate) fn needs_no_scope(self) -> ForApplications {
        ForApplications(self)
    }
}

macro_rules! methods {
    ($($function:ident $name:expr,)*) => {$(
        pub(crate) fn $function<H, T>(path: &'static str, handler: H) -> Route
        where
            H: Handler<T, ServerState>,
            T: 'static,
        {
            Route::new($name, path, handler)
        }
    )*};
}

/// The method of a route that accepts every method.
const ANY: &str = "ANY";

methods! { any ANY, get "GET", post "POST", }

/// How a router accepts a slash at the end of a path. The slash makes no difference, except in paths that are forwarded
/// to a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slashes {
    /// The router has each route twice. Other routers can nest this one, and a fallback would run after theirs.
    OnRoutes,
    /// The code in front of the router removes it.
    Never,
}

/// A router of these routes, with the layer `around` around each handler. The layer gets the scope that the route
/// needs. Routes of the same path become one route with several methods.
pub(crate) fn router(
    routes: impl IntoIterator<Item = Route>,
    around: impl Fn(MethodRouter<ServerState>, Option<ScopeName>) -> MethodRouter<ServerState>,
    slashes: Slashes,
) -> Router<ServerState> {
    // They are merged here, because a router copies the handlers of a path that it already has.
    let mut paths: Vec<(&'static str, MethodRouter<ServerState>)> = Vec::new();
    for route in routes {
        let handler = around(route.handler, route.scope);
        let handler = match paths.iter().position(|(path, _)| *path == route.path) {
            Some(known) => paths.remove(known).1.merge(handler),
            None if route.method == ANY => handler,
            None => handler.fallback(wrong_method),
        };
        paths.push((route.path, handler));
    }
    let mut router = Router::new();
    for (path, handler) in paths {
        if slashes == Slashes::OnRoutes && path != "/" && !path.starts_with("/proxy/") {
            router = router.route(&format!("{path}/"), handler.clone());
        }
        router = router.route(path, handler);
    }
    router
}

/// The router adds `Allow` itself.
async fn wrong_method() -> Problem {
    Error::new(
        ErrorKind::MethodNotAllowed,
        "this path doesn't support this method; the Allow header lists the supported ones",
    )
    .into()
}
