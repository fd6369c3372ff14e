//! The router behind a connection. It tells the connection when each request begins and ends, and rejects requests that
//! have another transfer coding or don't have exactly one host.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll},
};

use axum::{Router, body::Body, extract::ConnectInfo};
use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode, Version, header, uri::Authority,
};
use http_body::{Body as _, Frame, SizeHint};
use hyper::{body::Incoming, service::Service};
use stead_core::boxed::boxed;
use tower::ServiceExt as _;

use super::{
    activity::{Activity, Running},
    http2_body::{Http2Bodies, Http2Body},
};
use crate::caller::{Connection, Stopping};

/// The router, as a connection's requests reach it.
#[derive(Clone)]
pub(super) struct RouterService {
    router: Router,
    activity: Activity,
    peer: Option<SocketAddr>,
    connection: Connection,
    bodies: Http2Bodies,
}

impl RouterService {
    pub(super) fn new(
        router: Router,
        activity: Activity,
        peer: Option<SocketAddr>,
        stopping: Stopping,
    ) -> Self {
        Self {
            router,
            connection: Connection::new(activity.known(), stopping),
            activity,
            peer,
            bodies: Http2Bodies::default(),
        }
    }

    pub(super) fn activity(&self) -> Activity {
        self.activity.clone()
    }
}

impl Service<Request<Incoming>> for RouterService {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let is_http2 = request.version() == Version::HTTP_2;
        let running = self.activity.begin(is_http2);
        if !has_known_coding(request.headers()) {
            return refuse("the only transfer coding of a request can be chunked\n");
        }
        if !has_one_host(request.version(), request.headers()) {
            return refuse("a request needs exactly one Host header with the service's name\n");
        }
        let extensions = request.extensions_mut();
        extensions.insert(self.connection.clone());
        if let Some(peer) = self.peer {
            extensions.insert(ConnectInfo(peer));
        }
        let router = self.router.clone();
        let bodies = is_http2.then(|| self.bodies.clone());
        boxed(move || async move {
            let response = router.oneshot(request.map(received)).await?;
            Ok(response.map(|body| match bodies {
                Some(bodies) => ResponseBody::Http2(bodies.body(body, running)),
                None => ResponseBody::Http1 {
                    body,
                    _request: Some(running),
                },
            }))
        })
    }
}

fn received(body: Incoming) -> Body {
    if body.is_end_stream() {
        return Body::empty();
    }
    Body::new(body)
}

/// Whether the only transfer coding is `chunked`. hyper passes other codings on with the body, and nothing here decodes
/// them (RFC 9112, section 6.1).
fn has_known_coding(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    codings.next().is_none_or(is_chunked) && codings.next().is_none()
}

/// RFC 9112, section 3.2. In HTTP/2, the host can be in the pseudo-header `:authority` (RFC 9113, section 8.3.1).
fn has_one_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version != Version::HTTP_11,
        (Some(host), None) => {
            let host = Authority::try_from(host.as_bytes());
            host.is_ok_and(|host| !host.as_str().contains('@'))
        }
        (Some(_), Some(_)) => false,
    }
}

/// Rejects a request, and closes the connection.
fn refuse(why: &'static str) -> BoxFuture<'static, Result<Response<ResponseBody>, Infallible>> {
    let mut response = Response::new(ResponseBody::Http1 {
        body: Body::from(why),
        _request: None,
    });
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    std::future::ready(Ok(response)).boxed()
}

/// A response's body. Its end is the request's end.
pub(super) enum ResponseBody {
    Http1 {
        body: Body,
        _request: Option<Running>,
    },
    Http2(Http2Body),
}

impl ResponseBody {
    fn body(&self) -> Option<&Body> {
        match self {
            Self::Http1 { body, .. } => Some(body),
            Self::Http2(_) => None,
        }
    }
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut *self {
            Self::Http1 { body, .. } => Pin::new(body).poll_frame(context),
            Self::Http2(body) => body.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Http1 { body, .. } => body.is_end_stream(),
            Self::Http2(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.body().map_or_else(SizeHint::default, Body::size_hint)
    }
}
