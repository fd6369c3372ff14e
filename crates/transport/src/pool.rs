//! Connections that stay open for the next request, by host.

use std::{
    collections::HashMap,
    mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{
    HeaderValue, Uri,
    uri::{Authority, Scheme},
};
use http_body::{Body, Frame, SizeHint};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use stead_core::ports::{TransportError, TransportErrorKind};
use tokio::{
    runtime::Handle,
    time::{Instant, sleep},
};

use crate::{
    connector::{Http2, Place},
    outgoing::Outgoing,
};

/// Sends a request over an HTTP/1.1 connection, and the next one after its response.
pub(crate) type Http1 = http1::SendRequest<Outgoing>;
/// A connection that can take a request.
pub(crate) enum Open {
    Http1(Http1),
    /// An HTTP/2 connection, which other requests share.
    Http2(http2::SendRequest<Outgoing>, Place),
}

/// The hosts of one runtime.
pub(crate) struct Pool {
    keep_alive: Duration,
    hosts: Mutex<Hosts>,
}

#[derive(Default)]
struct Hosts {
    http: HashMap<String, Arc<Host>>,
    https: HashMap<String, Arc<Host>>,
    /// Whether the task that closes idle connections is running.
    swept: bool,
}

impl Pool {
    pub(crate) fn new(keep_alive: Duration) -> Arc<Self> {
        Arc::new(Self {
            keep_alive,
            hosts: Mutex::default(),
        })
    }

    /// The host of `uri`.
    pub(crate) fn host(self: &Arc<Self>, uri: &Uri) -> Result<Arc<Host>, TransportError> {
        let refused = |message: &str| TransportError::new(TransportErrorKind::Refused, message);
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err(refused("the request has no host"));
        };
        let is_https = *scheme == Scheme::HTTPS;
        let mut hosts = lock(&self.hosts);
        let known = match is_https {
            true => &mut hosts.https,
            false => &mut hosts.http,
        };
        if let Some(host) = known.get(authority.as_str()) {
            return Ok(Arc::clone(host));
        }
        let name = name(authority, is_https)
            .ok_or_else(|| refused("the request's host isn't in its canonical form"))?;
        let host = Arc::new(Host::new(name, self.keep_alive));
        known.insert(authority.as_str().to_owned(), Arc::clone(&host));
        if !mem::replace(&mut hosts.swept, true) {
            tokio::spawn(sweep(Arc::downgrade(self), self.keep_alive));
        }
        Ok(host)
    }

    /// Closes connections that were idle for too long.
    fn close_idle(&self) {
        let mut hosts = lock(&self.hosts);
        let Hosts { http, https, .. } = &mut *hosts;
        for hosts in [http, https] {
            hosts.retain(|_, host| host.close_idle() || Arc::strong_count(host) > 1);
        }
    }
}

/// Closes idle connections periodically, until no host is left.
async fn sweep(pool: Weak<Pool>, keep_alive: Duration) {
    const SHORTEST: Duration = Duration::from_millis(100);
    loop {
        sleep(keep_alive.max(SHORTEST)).await;
        let Some(pool) = pool.upgrade() else {
            return;
        };
        pool.close_idle();
        let mut hosts = lock(&pool.hosts);
        if hosts.http.is_empty() && hosts.https.is_empty() {
            hosts.swept = false;
            return;
        }
    }
}

/// The value of the header `host`.
fn name(authority: &Authority, is_https: bool) -> Option<HeaderValue> {
    let usual = if is_https { 443 } else { 80 };
    let text = match authority.port_u16() {
        Some(port) if port != usual => format!("{}:{port}", authority.host()),
        _ => authority.host().to_owned(),
    };
    HeaderValue::try_from(text).ok()
}

/// The connections to one host.
pub(crate) struct Host {
    /// Its `host` header in HTTP/1.1 requests.
    pub(crate) name: HeaderValue,
    keep_alive: Duration,
    connections: Mutex<Connections>,
    /// Lets one caller connect at a time if connections are shared.
    pub(crate) connecting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Connections {
    /// Connections without a request. The most recently used one is last.
    idle: Vec<(Http1, Instant)>,
    /// HTTP/2 connections, and when each one was last used.
    shared: Vec<(Http2, Instant)>,
    /// Whether the last connection was HTTP/2.
    shares: bool,
}

impl Host {
    fn new(name: HeaderValue, keep_alive: Duration) -> Self {
        Self {
            name,
            keep_alive,
            connections: Mutex::default(),
            connecting: tokio::sync::Mutex::new(()),
        }
    }

    /// A connection that can take a request.
    pub(crate) fn take(&self) -> Option<Open> {
        let now = Instant::now();
        let mut connections = lock(&self.connections);
        if let Some(open) = self.take_shared(&mut connections, now) {
            return Some(open);
        }
        while let Some((own, since)) = connections.idle.pop() {
            if !self.is_kept(since, now) {
                // The ones before it have been idle for longer.
                connections.idle.clear();
            } else if own.is_ready() {
                return Some(Open::Http1(own));
            }
        }
        None
    }

    /// Keeps a connection for the next request.
    pub(crate) fn put(&self, own: Http1) {
        let now = Instant::now();
        lock(&self.connections).idle.push((own, now));
    }

    fn take_shared(&self, connections: &mut Connections, now: Instant) -> Option<Open> {
        let shared = &mut connections.shared;
        shared.retain(|(shared, used)| self.is_kept(*used, now) && shared.is_open());
        shared.iter_mut().find_map(|(shared, used)| {
            let (sender, place) = shared.take()?;
            *used = now;
            Some(Open::Http2(sender, place))
        })
    }

    /// Keeps a new connection for many requests, or takes that of another caller who was faster.
    pub(crate) fn share(&self, new: Http2) -> Open {
        let now = Instant::now();
        let mut connections = lock(&self.connections);
        connections.shares = true;
        if let Some(open) = self.take_shared(&mut connections, now) {
            return open;
        }
        let (sender, place) = new.take_anyway();
        connections.shared.push((new, now));
        Open::Http2(sender, place)
    }

    /// Whether a new connection will probably be shared.
    pub(crate) fn shares(&self) -> bool {
        lock(&self.connections).shares
    }

    /// Call this if a connection couldn't be opened, or if it serves only one request at a time. The same may happen to
    /// the next one.
    pub(crate) fn shares_no_more(&self) {
        lock(&self.connections).shares = false;
    }

    /// Closes connections that were idle for too long. Returns whether others are left.
    fn close_idle(&self) -> bool {
        let now = Instant::now();
        let mut connections = lock(&self.connections);
        let Connections { idle, shared, .. } = &mut *connections;
        idle.retain(|(own, since)| self.is_kept(*since, now) && own.is_ready());
        shared.retain(|(shared, used)| self.is_kept(*used, now) && shared.is_open());
        !idle.is_empty() || !shared.is_empty()
    }

    fn is_kept(&self, since: Instant, now: Instant) -> bool {
        now.saturating_duration_since(since) < self.keep_alive
    }
}

/// The body of a response. Over HTTP/1.1, it has its connection to itself until it's dropped.
pub(crate) struct Received {
    body: Option<Incoming>,
    connection: Option<(Http1, Arc<Host>)>,
    /// Its place on an HTTP/2 connection.
    _place: Option<Place>,
}

impl Received {
    pub(crate) fn http2(body: Incoming, place: Place) -> Self {
        Self {
            body: Some(body),
            connection: None,
            _place: Some(place),
        }
    }

    pub(crate) fn http1(body: Incoming, own: Http1, host: Arc<Host>) -> Self {
        Self {
            body: Some(body),
            connection: Some((own, host)),
            _place: None,
        }
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let none = || SizeHint::with_exact(0);
        self.body.as_ref().map_or_else(none, Body::size_hint)
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        // The unread rest is skipped, or closes the connection.
        self.body = None;
        let Some((mut own, host)) = self.connection.take() else {
            return;
        };
        if own.is_ready() {
            return host.put(own);
        }
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                if own.ready().await.is_ok() {
                    host.put(own);
                }
            });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
