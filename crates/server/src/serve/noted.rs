//! The router, as a connection's requests reach it. It notes for the connection when each request begins and ends, and
//! rejects a request with an ambiguous head.

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
    activity::{Activity, Answering},
    unread::{Responses, Unread},
};
use crate::caller::{Connection, Stopping};

/// The router, as a connection's requests reach it.
#[derive(Clone)]
pub(super) struct Noted {
    router: Router,
    activity: Activity,
    peer: Option<SocketAddr>,
    connection: Connection,
    responses: Responses,
}

impl Noted {
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
            responses: Responses::default(),
        }
    }

    pub(super) fn activity(&self) -> Activity {
        self.activity.clone()
    }
}

impl Service<Request<Incoming>> for Noted {
    type Response = Response<NotedBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let begun = self.activity.begin();
        let Some(noted) = begun else {
            return refuse("the request gives the length of its body in two ways\n");
        };
        if !has_one_host(request.version(), request.headers()) {
            return refuse("a request needs exactly one Host header with the service's name\n");
        }
        let extensions = request.extensions_mut();
        extensions.insert(self.connection.clone());
        if let Some(peer) = self.peer {
            extensions.insert(ConnectInfo(peer));
        }
        let router = self.router.clone();
        let is_http2 = request.version() == Version::HTTP_2;
        let responses = is_http2.then(|| self.responses.clone());
        boxed(move || async move {
            let response = router.oneshot(request.map(received)).await?;
            Ok(response.map(|body| match responses {
                Some(responses) => NotedBody::Http2(responses.body(body, noted)),
                None => NotedBody::Http1 {
                    body,
                    _request: Some(noted),
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

/// Rejects a request that could be read in two ways (RFC 9112, section 6.3).
fn refuse(why: &'static str) -> BoxFuture<'static, Result<Response<NotedBody>, Infallible>> {
    let mut response = Response::new(NotedBody::Http1 {
        body: Body::from(why),
        _request: None,
    });
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    std::future::ready(Ok(response)).boxed()
}

/// A response's body. Its end is the request's end.
pub(super) enum NotedBody {
    Http1 {
        body: Body,
        _request: Option<Answering>,
    },
    Http2(Unread),
}

impl NotedBody {
    fn body(&self) -> Option<&Body> {
        match self {
            Self::Http1 { body, .. } => Some(body),
            Self::Http2(_) => None,
        }
    }
}

impl http_body::Body for NotedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut *self {
            Self::Http1 { body, .. } => Pin::new(body).poll_frame(context),
            Self::Http2(unread) => unread.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Http1 { body, .. } => body.is_end_stream(),
            Self::Http2(unread) => unread.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.body().map_or_else(SizeHint::default, Body::size_hint)
    }
}
