//! Serves connections, with limits on slow callers and on their number, and shuts down in order.

mod activity;
mod connection;
mod http2_body;
mod limit;
mod service;
#[cfg(test)]
mod sockets;
#[cfg(test)]
mod tests;
mod workers;

use std::{
    future::{Future, pending},
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::Router;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};

use activity::Activity;
pub use activity::UnderWay;
use limit::{Connections, Refusals};
use service::RouterService;
pub use workers::Workers;

use crate::caller::Stopping;

/// How long a stop waits for the requests of strangers.
const STRANGERS: Duration = Duration::from_secs(25);
/// How long a stop waits for the calls of applications and members. It must be as long as the process waits for writes,
/// or callers never learn of a write that was done.
const CALLS: Duration = Duration::from_secs(70);
/// Pause after an `accept` that failed because file descriptors or memory ran out.
const EXHAUSTED: Duration = Duration::from_millis(200);
/// Default maximum number of connections.
const CONNECTIONS: usize = 10_000;

/// Serves HTTP/1.1 and HTTP/2 until `shutdown` resolves. Then it accepts no more connections, and waits for the
/// requests in flight: 25 s for those of strangers, 70 s for others. [`Server`] has more options.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send,
) {
    Server::new(router)
        .serve(listener, shutdown, pending())
        .await;
}

/// Serves a router over HTTP/1.1 and HTTP/2.
///
/// A connection without a request stays open for 90 s, longer than load balancers keep theirs. The first byte of a
/// request has to arrive within 30 s, and its head within another 30 s. Stead disconnects a caller that reads nothing
/// of its response for 60 s. A head that doesn't have exactly one `Host` gets 400. If a head has both a length and
/// chunks, the chunks count, and the connection ends after the response (RFC 9112, section 6.3). At the maximum number
/// of connections, Stead closes connections without a request, and begins with the source that has the most. If all are
/// busy, a new one gets 503 `overloaded`.
#[derive(Debug)]
pub struct Server {
    router: Router,
    /// Another listener, and its router.
    second: Option<(TcpListener, Router)>,
    max_connections: usize,
    under_way: UnderWay,
    workers: Option<Arc<Workers>>,
}

impl Server {
    /// Serves this router, with at most 10,000 connections.
    pub fn new(router: Router) -> Self {
        Self {
            router,
            second: None,
            max_connections: CONNECTIONS,
            under_way: UnderWay::default(),
            workers: None,
        }
    }

    /// Serves connections on these threads, instead of on the runtime that [`serve`](Self::serve) is called in. This is
    /// faster for many short requests.
    #[must_use]
    pub fn on(mut self, workers: Arc<Workers>) -> Self {
        self.workers = Some(workers);
        self
    }

    /// Serves this router at another address. Both share every bound.
    #[must_use]
    pub fn also(mut self, listener: TcpListener, router: Router) -> Self {
        self.second = Some((listener, router));
        self
    }

    /// Maximum number of connections. Each needs a file descriptor, and a call that waits for its product needs
    /// another.
    #[must_use]
    pub fn max_connections(mut self, most: usize) -> Self {
        self.max_connections = most.max(1);
        self
    }

    /// Counts the requests whose responses aren't complete yet.
    pub fn under_way(&self) -> UnderWay {
        self.under_way.clone()
    }

    /// Serves until `shutdown` resolves. Then it accepts no more connections, and waits for the requests in flight: at
    /// most 25 s for those of strangers, 70 s for those of applications and members. It stops waiting when `cut`
    /// resolves. Returns the number of requests that were cut off.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
        cut: impl Future<Output = ()> + Send,
    ) -> usize {
        self.run(listener, pin!(shutdown), pin!(cut)).await
    }

    /// The same for futures of a single type. That way, all code of a connection is compiled in this crate, which makes
    /// it faster.
    async fn run(self, listener: TcpListener, mut shutdown: End<'_>, cut: End<'_>) -> usize {
        let http = connection::http();
        let connections = Arc::new(Connections::default());
        let refusals = Refusals::default();
        let cut_off = Arc::new(AtomicUsize::new(0));
        let (phase, phases) = watch::channel(Phase::Serves);
        let (stop, stopping) = watch::channel(());
        let stopping = Stopping::new(stopping);
        loop {
            let either = async {
                tokio::select! {
                    accepted = accept(&listener, &connections) => (accepted, &self.router),
                    (accepted, router) = accept_second(self.second.as_ref(), &connections) => (accepted, router),
                }
            };
            let ((stream, peer), router) = tokio::select! {
                biased;
                () = shutdown.as_mut() => break,
                accepted = either => accepted,
            };
            if connections.count() >= self.max_connections && !connections.make_room() {
                tokio::select! {
                    biased;
                    () = shutdown.as_mut() => break,
                    () = refusals.refuse(stream) => continue,
                }
            }
            let activity = Activity::new(self.under_way.clone());
            let place = connections.join(peer, activity.clone());
            let service =
                RouterService::new(router.clone(), activity, Some(peer), stopping.clone());
            let http = http.clone();
            let phases = phases.clone();
            let cut_off = Arc::clone(&cut_off);
            let serving = move |stream| async move {
                let _place = place;
                connection::serve(&http, stream, service, phases, &cut_off).await;
            };
            match &self.workers {
                Some(workers) => workers.serve(stream, serving),
                None => drop(tokio::spawn(serving(stream))),
            }
        }
        drop(listener);
        drop(self.second);
        drop((phases, stopping));
        // Requests that wait for events end now.
        drop(stop);
        let _ = phase.send(Phase::Stops);
        let strangers_leave = async {
            tokio::time::sleep(STRANGERS).await;
            let _ = phase.send(Phase::CutsStrangers);
            tokio::time::sleep(CALLS - STRANGERS).await;
        };
        tokio::select! {
            () = phase.closed() => {}
            () = strangers_leave => {}
            () = cut => {}
        }
        // If no one listens, there is no connection left.
        let _ = phase.send(Phase::Cuts);
        phase.closed().await;
        let cut_off = cut_off.load(Ordering::Relaxed);
        if cut_off > 0 {
            tracing::warn!(
                requests = cut_off,
                "interrupted running requests in order to stop"
            );
        }
        cut_off
    }
}

type End<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send)>;

/// The phases of a shutdown, as connections learn of them.
#[derive(Debug, Clone, Copy)]
enum Phase {
    Serves,
    /// Running requests continue, and no new ones are accepted.
    Stops,
    /// The same, but connections that no application or member has used end now.
    CutsStrangers,
    /// All connections end now.
    Cuts,
}

impl Phase {
    /// Whether a connection ends now, even with a running request.
    fn cuts(self, activity: &Activity) -> bool {
        match self {
            Self::Serves | Self::Stops => false,
            Self::CutsStrangers => !activity.is_known(),
            Self::Cuts => true,
        }
    }
}

/// The next connection of the other listener, if there is one.
async fn accept_second<'s>(
    second: Option<&'s (TcpListener, Router)>,
    connections: &Connections,
) -> ((TcpStream, SocketAddr), &'s Router) {
    match second {
        Some((listener, router)) => (accept(listener, connections).await, router),
        None => pending().await,
    }
}

/// The next connection. Small responses are sent immediately (`TCP_NODELAY`).
async fn accept(listener: &TcpListener, connections: &Connections) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(error = %error, "couldn't set TCP_NODELAY on a connection");
                }
                return (stream, peer);
            }
            // The caller disconnected before its turn.
            Err(error) if is_the_callers(&error) => {}
            Err(error) => {
                let made_room = connections.make_room();
                tracing::error!(error = %error, made_room, "can't accept a connection");
                tokio::time::sleep(EXHAUSTED).await;
            }
        }
    }
}

fn is_the_callers(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::ConnectionRefused | Kind::ConnectionAborted | Kind::ConnectionReset
    )
}
