//! Takes every request first. Calls are most of what a busy service gets, so they go straight to their handlers: a router with
//! its layers around each route would cost a call more than all else that is done here.

use std::{convert::Infallible, fmt, sync::Arc};

use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use http::Uri;
use stead::core::scope::ScopeName;
use tower::{ServiceExt as _, service_fn};

use crate::{
    admission::Hosts,
    authentication::Entrance,
    extract::Acting,
    metrics::PROXY_HOST,
    middleware::{Around, enclose},
    problem::Result,
    proxy_host::Host,
    rest::{proxy, tools::execute},
    state::ServerState,
};

/// What is around calls of one kind.
struct Direct {
    around: Around,
    entrance: Entrance,
}

impl Direct {
    /// Of tools.
    fn of_tools(state: &ServerState) -> Self {
        Self {
            around: state.around(execute::ROUTE),
            entrance: Entrance::of_applications(state, Some(ScopeName::ToolsExecute)),
        }
    }

    /// Raw requests below `/proxy`.
    fn below_path(state: &ServerState) -> Self {
        Self {
            around: state.around(proxy::ROUTE),
            entrance: Entrance::of_any(state, Some(ScopeName::ProxyRead)),
        }
    }

    /// Raw requests at the proxy host.
    fn at_host(state: &ServerState) -> Self {
        Self {
            around: state.around(PROXY_HOST),
            entrance: Entrance::of_account_tokens(state),
        }
    }

    /// Responds by a handler, after a first look at the request.
    async fn respond<F>(
        &self,
        request: Request,
        look: impl FnOnce(&Request) -> Result<()>,
        handler: impl FnOnce(Acting, Request) -> F,
    ) -> Response
    where
        F: Future<Output = Result<Response>>,
    {
        let inner = |request| {
            let looked = look(&request);
            async {
                match looked {
                    Ok(()) => {
                        let handler = |acting, request| handler(Acting(acting), request);
                        self.entrance.respond(request, handler).await
                    }
                    Err(problem) => Err(problem),
                }
                .into_response()
            }
        };
        enclose(&self.around, request, None, inner).await
    }
}

fn any(_: &Request) -> Result<()> {
    Ok(())
}

/// All of a platform, for a [`Server`](crate::Server): calls go straight to their handlers. As a [`Router`] it takes every path.
#[derive(Clone)]
pub struct Front(Arc<Parts>);

/// Which requests are calls, and the router of all others.
struct Parts {
    tools: Direct,
    below_path: Direct,
    at_host: Option<(Host, Direct)>,
    router: Router,
}

impl Front {
    /// The router, behind what takes calls.
    pub(crate) fn new(state: &ServerState, host: Option<Host>, router: Router) -> Self {
        Self(Arc::new(Parts {
            tools: Direct::of_tools(state),
            below_path: Direct::below_path(state),
            at_host: host.map(|host| (host, Direct::at_host(state))),
            router,
        }))
    }

    pub(crate) async fn respond(&self, request: Request) -> Response {
        let parts = self.0.as_ref();
        if let Some((host, direct)) = &parts.at_host
            && host.is_named_by(&request)
        {
            return direct.respond(request, any, proxy::at_proxy_host).await;
        }
        if proxy::is_streaming(request.uri().path()) {
            let direct = &parts.below_path;
            return direct.respond(request, any, proxy::streaming).await;
        }
        if let Some(name) = execute::named(&request).map(str::to_owned) {
            let run = |acting, request| execute::direct(acting, name, request);
            return parts.tools.respond(request, any, run).await;
        }
        let Ok(response) = parts
            .router
            .clone()
            .oneshot(without_last_slash(request))
            .await;
        response
    }
}

/// A slash at the end of a path makes no difference, but in what is passed on to a product.
fn without_last_slash(mut request: Request) -> Request {
    let path = request.uri().path();
    let is_other = |path: &&str| !path.ends_with('/') && !path.is_empty();
    let Some(path) = path.strip_suffix('/').filter(is_other) else {
        return request;
    };
    if path.starts_with("/proxy/") {
        return request;
    }
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

impl fmt::Debug for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Front").field(&self.0.router).finish()
    }
}

impl From<Front> for Router {
    fn from(front: Front) -> Self {
        Self::new().fallback_service(service_fn(move |request| {
            let front = front.clone();
            async move { Ok::<_, Infallible>(front.respond(request).await) }
        }))
    }
}

/// The router, with the proxy host for what is meant for it.
pub(crate) fn with_host(router: Router, state: &ServerState, host: Host) -> Router {
    let at_host = Arc::new((host, Direct::at_host(state)));
    router.layer(from_fn_with_state(at_host, enter_host))
}

async fn enter_host(
    State(at_host): State<Arc<(Host, Direct)>>,
    request: Request,
    next: Next,
) -> Response {
    let (host, direct) = at_host.as_ref();
    if host.is_named_by(&request) {
        return direct.respond(request, any, proxy::at_proxy_host).await;
    }
    next.run(request).await
}

/// The proxy host on a listener of its own: every path, for these names.
pub(crate) fn host_router(state: &ServerState, expected: Hosts) -> Router {
    let parts = Arc::new((Direct::at_host(state), expected));
    Router::new().fallback_service(service_fn(move |request: Request| {
        let parts = Arc::clone(&parts);
        async move {
            let (direct, expected) = parts.as_ref();
            let look = |request: &Request| Ok(expected.check(request)?);
            let response = direct.respond(request, look, proxy::at_proxy_host);
            Ok::<_, Infallible>(response.await)
        }
    }))
}
