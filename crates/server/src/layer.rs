//! A layer that is one function, like axum's `from_fn`. It makes fewer copies of the inner service, which every request
//! pays for.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse, Response},
    routing::Route,
};
use futures_util::{FutureExt as _, future::Map};
use tower::{Layer, Service, ServiceExt as _};

/// Calls `run` with each request and the inner service.
pub(crate) fn layer<C, F>(context: C, run: F) -> Around<C, F> {
    Around { context, run }
}

/// Calls a route's inner service.
pub(crate) async fn respond(mut inner: Route, request: Request) -> Response {
    match inner.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Responds to a request with a router.
pub(crate) async fn routed(router: &Router, request: Request) -> Response {
    match router.clone().oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

#[derive(Clone)]
pub(crate) struct Around<C, F> {
    context: C,
    run: F,
}

impl<C: Clone, F: Clone> Layer<Route> for Around<C, F> {
    type Service = Wrapped<C, F>;
    fn layer(&self, inner: Route) -> Self::Service {
        Wrapped {
            around: self.clone(),
            inner,
        }
    }
}

#[derive(Clone)]
pub(crate) struct Wrapped<C, F> {
    around: Around<C, F>,
    inner: Route,
}

impl<C, F, R> Service<Request> for Wrapped<C, F>
where
    C: Clone,
    F: Fn(C, Request, Route) -> R,
    R: Future,
    R::Output: IntoResponse,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Map<R, fn(R::Output) -> Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let context = self.around.context.clone();
        let response = (self.around.run)(context, request, self.inner.clone());
        response.map(|response| Ok(response.into_response()))
    }
}
