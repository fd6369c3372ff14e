//! Futures that are created directly in their box. Core and the service create the futures of calls like this.

use std::pin::Pin;

/// Creates a future directly in its box. `Box::pin` would create it on the stack and then copy all of it. For a call,
/// that's kilobytes, although the future holds little more than its arguments before the first poll.
///
/// Rare parts of a call are boxed too. Otherwise, the future of every call would have room for them.
pub fn boxed<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), made(make)))
}

/// Not inlined, so that the compiler writes the future into the box. If it were inlined, the compiler would copy all
/// bytes.
#[inline(never)]
fn made<F>(make: impl FnOnce() -> F) -> F {
    make()
}
