//! The service over real sockets, as hostile callers meet it: what they send is refused or bounded, and everyone else is
//! answered meanwhile.

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
