//! The service over real sockets, with hostile callers. It rejects or limits their requests, and still responds to
//! everyone else.

#![expect(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test ends where something is not as it should be"
)]

mod http1;
mod http2;
mod http2_caller;
mod silent;
mod stage;
