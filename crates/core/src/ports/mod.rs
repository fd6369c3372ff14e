//! Everything that touches the world: network, time, randomness. Core has no other way out.

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

/// Sends one HTTP request and returns the response as it comes.
///
/// An adapter sends the request target byte for byte as given, or refuses; follows no redirect; reads no
/// proxy from its surroundings; adds no credentials; does not decompress. It honours [`Limits`] among the
/// request's extensions.
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
    /// Time since some fixed moment, which never goes back.
    fn monotonic(&self) -> Duration;
    /// Resolves after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// Runs `task` to its end, even when its caller is gone.
    fn spawn(&self, task: BoxFuture<'static, ()>);
    /// Runs work that keeps a processor busy for milliseconds, where it holds up no other task; at once and in place
    /// unless the adapter knows a better place.
    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        work();
    }
}

/// Randomness fit for secrets.
pub trait Entropy: Send + Sync + 'static {
    /// Fills `buffer` with random bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// What a request is for, carried among its extensions. An adapter may take a shorter way for requests of calls, with the
/// same promises.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A call's request to the product.
    Call,
    /// Anything else, such as a token or a notification.
    #[default]
    Other,
}

/// Carried among the extensions of a request that is sent again because its connection was closed: an adapter uses none that
/// it kept open.
#[derive(Debug, Clone, Copy)]
pub struct OnNewConnection;

/// Bounds of one request and its response, carried among the request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest wait for a connection.
    pub connect: Duration,
    /// Longest wait from sending to the response's head.
    pub first_byte: Duration,
    /// Longest wait between two pieces of the response's body.
    pub idle: Duration,
    /// Longest time for the request and the whole response.
    pub total: Duration,
    /// Bytes, of the request's or the response's body, for which `total` grows by a second: a body that keeps to this
    /// many bytes per second on average has no other end than its own. 0 where `total` stays as it is.
    pub steady: u64,
    /// Most bytes of the response's body.
    pub response_bytes: u64,
}

impl Limits {
    /// 5 s to connect, 30 s to the first byte and between pieces, 120 s in all, 50 MiB.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_secs(30),
        idle: Duration::from_secs(30),
        total: Duration::from_secs(120),
        steady: 0,
        response_bytes: 50 * 1024 * 1024,
    };
}
