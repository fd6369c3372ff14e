//! Ports to the outside: network, time and randomness. Core has no others.

mod body;
mod key_source;
mod loopback;
mod policy;
mod public_address;
mod spool;
mod transport_error;

use std::time::Duration;

use jiff::Timestamp;

pub use body::Body;
pub use key_source::KeySource;
pub use loopback::is_loopback;
pub use policy::{AllowAll, Decision, Policy, PolicyRequest};
pub use public_address::is_public;
pub use spool::{Spool, Spooled};
pub use transport_error::{BoxError, TransportError, TransportErrorKind, Unreached};

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = futures_util::future::BoxFuture<'a, T>;

/// Sends one HTTP request and returns the response as a stream.
///
/// An adapter sends the request target unchanged or rejects it. It doesn't follow redirects, read proxy settings from
/// its surroundings, add credentials or decompress. It applies [`Limits`] from the request's extensions.
pub trait Transport: Send + Sync + 'static {
    /// Sends `request`; resolves when the response's head has arrived.
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>>;
}

/// Time and tasks.
pub trait Runtime: Send + Sync + 'static {
    /// Time of day.
    fn now(&self) -> Timestamp;
    /// Time since a fixed moment. It never goes back.
    fn monotonic(&self) -> Duration;
    /// Resolves after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// Runs `task` to its end, even if its caller is dropped.
    fn spawn(&self, task: BoxFuture<'static, ()>);
    /// Runs work that uses a processor for milliseconds without blocking other tasks. By default, it runs immediately
    /// on the current thread.
    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        work();
    }
}

/// Cryptographically secure randomness.
pub trait Entropy: Send + Sync + 'static {
    /// Fills `buffer` with random bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// Purpose of a request, in its extensions. An adapter can use a faster path for requests of calls, with the same
/// guarantees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A call's request to the product.
    Call,
    /// Anything else, such as a token request or a webhook.
    #[default]
    Other,
}

/// Extension of a request that is retried because its connection was closed. An adapter then opens a new connection.
#[derive(Debug, Clone, Copy)]
pub struct OnNewConnection;

/// Limits of one request and its response, in the request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum time to connect.
    pub connect: Duration,
    /// Maximum time from sending to the response's head.
    pub first_byte: Duration,
    /// Maximum time between two chunks of the response's body.
    pub idle: Duration,
    /// Maximum time for the request and the whole response.
    pub total: Duration,
    /// Number of bytes, of the request's or response's body, that extends `total` by one second. A body that is at
    /// least this fast on average never times out. 0 means that `total` is fixed.
    pub steady: u64,
    /// Maximum size of the response's body in bytes.
    pub response_bytes: u64,
}

impl Limits {
    /// 5 s to connect, 30 s to the first byte and between chunks, 120 s in total, 50 MiB.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_secs(30),
        idle: Duration::from_secs(30),
        total: Duration::from_secs(120),
        steady: 0,
        response_bytes: 50 * 1024 * 1024,
    };
}
