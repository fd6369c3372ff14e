//! The table of routes. The router is built from it and the tests walk it, so that no route can be forgotten.

use std::{convert::Infallible, pin::Pin, sync::Arc};

use axum::{
    extract::Request,
    handler::{Handler, HandlerService},
    response::{IntoResponse, Response},
    routing::{self, MethodRouter},
};
use http::Uri;
use stead::{Error, ErrorKind};
use stead_core::{boxed::boxed, scope::ScopeName};
use tower::{Layer, Service};

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
    pub(crate) endpoint: Endpoint,
}

/// A handler with its layers. It's one type, because axum compiles its code again for each type of handler. It's a
/// pointer, because a router copies the handler for each request.
#[derive(Clone)]
pub(crate) struct Endpoint(Arc<dyn Fn(Request, ServerState) -> Responding + Send + Sync>);

type Responding = Pin<Box<dyn Future<Output = Response> + Send>>;

impl Endpoint {
    pub(crate) fn new<H, T>(handler: H) -> Self
    where
        H: Handler<T, ServerState>,
        T: 'static,
    {
        Self(Arc::new(move |request, state| {
            boxed(|| handler.clone().call(request, state))
        }))
    }

    /// Adds a layer around it.
    pub(crate) fn layer<L>(self, layer: L) -> Self
    where
        L: Layer<HandlerService<Self, (), ServerState>> + Clone + Send + Sync + 'static,
        L::Service: Service<Request, Error = Infallible> + Clone + Send + 'static,
        <L::Service as Service<Request>>::Response: IntoResponse,
        <L::Service as Service<Request>>::Future: Send,
    {
        Self::new(Handler::layer(self, layer))
    }
}

impl Handler<(), ServerState> for Endpoint {
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
        Self {
            method,
            path,
            scope: None,
            operation: Operation::NONE,
            endpoint: Endpoint::new(handler),
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
    pub(crate) fn map_endpoint(self, around: impl FnOnce(Endpoint) -> Endpoint) -> Self {
        Self {
            endpoint: around(self.endpoint),
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

/// The paths of these routes, each with its methods. `around` adds layers to each handler, and gets the scope that the
/// route needs.
pub(crate) fn paths(
    routes: impl IntoIterator<Item = Route>,
    around: impl Fn(Endpoint, Option<ScopeName>) -> Endpoint,
) -> Vec<(&'static str, MethodRouter<ServerState>)> {
    let mut paths: Vec<(&'static str, MethodRouter<ServerState>)> = Vec::new();
    for route in routes {
        let endpoint = around(route.endpoint, route.scope);
        let methods = match route.method {
            ANY => routing::any(endpoint),
            "DELETE" => routing::delete(endpoint),
            "PATCH" => routing::patch(endpoint),
            "POST" => routing::post(endpoint),
            "PUT" => routing::put(endpoint),
            _ => routing::get(endpoint),
        };
        let methods = match paths.iter().position(|(path, _)| *path == route.path) {
            Some(known) => paths.remove(known).1.merge(methods),
            None if route.method == ANY => methods,
            None => methods.fallback(wrong_method),
        };
        paths.push((route.path, methods));
    }
    paths
}

/// Removes the slash at the end of a path. It makes no difference, except in a path that is forwarded to a product.
pub(crate) fn without_last_slash(mut request: Request) -> Request {
    let Some(path) = request.uri().path().strip_suffix('/') else {
        return request;
    };
    let target = match request.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = target.parse().ok();
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
    request
}

/// The router adds `Allow` itself.
async fn wrong_method() -> Problem {
    Error::new(
        ErrorKind::MethodNotAllowed,
        "this path doesn't support this method; the Allow header lists the supported ones",
    )
    .into()
}
