//! Futures that are made where they stay.

use std::pin::Pin;

/// A future in a box, made there. `Box::pin` makes it on the stack and then copies all of it, kilobytes for a call, although
/// it holds little more than its arguments before it is polled.
pub fn boxed<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), made(make)))
}

/// Not inlined, so that the compiler has it write to the box: of a future that it makes itself, it copies all bytes.
#[inline(never)]
fn made<F>(make: impl FnOnce() -> F) -> F {
    make()
}
