//! The router of a platform: the table of routes, with the layers of each.

use std::sync::Arc;

use axum::{Router, handler::Handler as _, middleware::from_fn_with_state};
use stead::{Error, ErrorKind};
use stead_core::scope::ScopeName;
use tower::{Layer as _, ServiceExt as _};

use crate::{
    Access, ServerOptions,
    admission::{self, Hosts},
    authentication::{self, Entrance},
    mcp_endpoint,
    metrics::{self, NO_ROUTE, PROXY_HOST, PROXY_PATH},
    middleware::{self, Around},
    oauth, pages,
    problem::Problem,
    proxy_host::Host,
    rest::proxy,
    routes::{self, Endpoint},
    state::ServerState,
    table,
};
#[cfg(feature = "dashboard")]
use crate::{
    DashboardAccess, dashboard,
    routes::{Route, get},
};

/// The routes of an embedded platform, with [`ServerOptions::default`] and without the dashboard. For the dashboard,
/// use [`router_with`] and invite the first owner with
/// [`NewMember`](stead_core::resource::NewMember).
pub fn router(platform: &stead::Platform) -> Router {
    #[cfg(not(feature = "dashboard"))]
    let options = ServerOptions::default();
    #[cfg(feature = "dashboard")]
    let options = {
        let mut options = ServerOptions::default();
        options.dashboard.access = DashboardAccess::Off;
        options
    };
    router_with(platform, &options)
}

/// All routes of a platform. If it has a proxy URL, requests to that host go to the proxy host.
pub fn router_with(platform: &stead::Platform, options: &ServerOptions) -> Router {
    routers(platform, options).server
}

/// The routers of a platform, which share their limits.
#[derive(Debug)]
#[non_exhaustive]
pub struct Routers {
    /// The same as [`router_with`].
    pub server: Router,
    /// Only the proxy host, for its own listener. It accepts account tokens on any path. `Host` needs to be the proxy
    /// URL's host, one of [`ServerOptions::allowed_hosts`] or this machine. `None` if the platform has no proxy URL.
    pub proxy: Option<Router>,
    /// `GET /metrics`, for its own listener. It needs no token, so make sure that only your monitoring system can reach
    /// it.
    pub metrics: Router,
}

/// The routers of a platform.
pub fn routers(platform: &stead::Platform, options: &ServerOptions) -> Routers {
    let environment = platform.environment();
    let paths = table().into_iter().flat_map(|(_, routes)| routes);
    let state = ServerState::new(environment, options, paths.map(|route| route.path));
    let at_proxy_host = Endpoint::new(proxy::at_proxy_host).layer(from_fn_with_state(
        Entrance::of_account_tokens(&state),
        authentication::pass,
    ));
    let proxy_host = Host::of(environment).map(|host| (host, at_proxy_host.clone()));
    let around = Around::new(&state, proxy_host);
    let proxy = environment.proxy_url().map(|url| {
        let hosts = Arc::new(Hosts::new(url, &options.allowed_hosts));
        let endpoint = at_proxy_host.layer(from_fn_with_state(hosts, admission::check_host));
        let around = Arc::new(Around::new(&state, None));
        let layer = from_fn_with_state((around, PROXY_HOST), middleware::enter);
        Router::new().fallback_service(layer.layer(endpoint.with_state(state.clone())))
    });
    let metrics = metrics::router(metrics::Shown {
        environment: environment.clone(),
        requests: Arc::clone(&state.requests),
        in_flight: Arc::clone(&state.in_flight),
        started_at: environment.runtime().now(),
    });
    Routers {
        server: service(&state, options, &Arc::new(around)),
        proxy,
        metrics,
    }
}

/// All routes. `around` is the outermost layer of each. It's also outside of axum's choice of the method, which changes
/// headers of responses, so the proxy host's responses stay as they are.
fn service(state: &ServerState, options: &ServerOptions, around: &Arc<Around>) -> Router {
    let layers = Layers::new(state, options);
    let outermost = |route| from_fn_with_state((Arc::clone(around), route), middleware::enter);
    let table = table().into_iter();
    #[cfg(feature = "dashboard")]
    let table = {
        let is_off = options.dashboard.access == DashboardAccess::Off;
        table
            .chain([(Access::Dashboard(dashboard::Door::Members), unknown_pages())])
            .filter(move |(access, _)| !is_off || !matches!(access, Access::Dashboard(_)))
    };
    let mut router = Router::new();
    for (access, routes) in table {
        let layered = |endpoint, scope| layers.around(access, endpoint, scope);
        if access == Access::Proxy {
            // The response is the product's own. With axum's choice of the method it would get a length, also for HEAD.
            for route in routes {
                let endpoint = layered(route.endpoint, route.scope);
                let service = outermost(PROXY_PATH).layer(endpoint.with_state(state.clone()));
                router = router.route_service(route.path, service);
            }
            continue;
        }
        for (path, methods) in routes::paths(routes, layered) {
            let service = outermost(path).layer(methods.with_state::<()>(state.clone()));
            if path != "/" && !path.contains("{*") {
                let same = service.clone().map_request(routes::without_last_slash);
                router = router.route_service(&format!("{path}/"), same);
            }
            router = router.route_service(path, service);
        }
    }
    let unknown = Endpoint::new(unknown_path).with_state(state.clone());
    router.fallback_service(outermost(NO_ROUTE).layer(unknown))
}

/// The layers between the outermost one and a handler.
struct Layers<'s> {
    state: &'s ServerState,
    #[cfg(feature = "dashboard")]
    dashboard: Arc<dashboard::Dashboard>,
}

impl<'s> Layers<'s> {
    #[cfg_attr(not(feature = "dashboard"), expect(unused_variables))]
    fn new(state: &'s ServerState, options: &ServerOptions) -> Self {
        Self {
            state,
            #[cfg(feature = "dashboard")]
            dashboard: Arc::new(dashboard::Dashboard::new(
                &state.environment,
                options,
                Arc::clone(&state.rates),
            )),
        }
    }

    /// A handler with the layers of its kind of caller. The last one is the outermost.
    fn around(&self, access: Access, endpoint: Endpoint, scope: Option<ScopeName>) -> Endpoint {
        let state = self.state;
        let counted = || {
            let places = (Arc::clone(&state.in_flight), Arc::clone(&state.rates));
            from_fn_with_state(places, admission::admit)
        };
        let by_rate = || from_fn_with_state(Arc::clone(&state.rates), admission::check_rate);
        let by_name = || from_fn_with_state(Arc::clone(&state.hosts), admission::check_host);
        let entered = |entrance| from_fn_with_state(entrance, authentication::pass);
        let bounded = |endpoint: Endpoint| {
            let counted = endpoint.layer(counted());
            counted.layer(by_name()).layer(by_rate())
        };
        match access {
            Access::Application => endpoint.layer(entered(Entrance::of_applications(state, scope))),
            Access::Proxy => endpoint.layer(entered(Entrance::of_any(state, scope))),
            Access::Mcp => endpoint
                .layer(from_fn_with_state(
                    state.clone(),
                    mcp_endpoint::authenticate,
                ))
                .layer(by_name()),
            Access::Browser => {
                bounded(endpoint).layer(from_fn_with_state(state.clone(), pages::show_problem))
            }
            #[cfg(feature = "dashboard")]
            Access::Dashboard(door) => self
                .dashboard
                .behind(door, endpoint.layer(counted()))
                .layer(by_name())
                .layer(by_rate()),
            Access::Callback => {
                bounded(endpoint).layer(from_fn_with_state(state.clone(), oauth::leave_callback))
            }
            Access::Anyone => endpoint.layer(counted()),
            Access::Health => endpoint,
        }
    }
}

/// A member who follows an old address sees a page of the dashboard.
#[cfg(feature = "dashboard")]
fn unknown_pages() -> Vec<Route> {
    vec![get("/dashboard/{*unknown}", unknown_page)]
}

#[cfg(feature = "dashboard")]
async fn unknown_page() -> Problem {
    Error::new(
        ErrorKind::NotFound,
        "the dashboard has no page at this path",
    )
    .into()
}

async fn unknown_path() -> Problem {
    Error::new(
        ErrorKind::NotFound,
        "nothing exists at this path; GET / lists all paths",
    )
    .into()
}
