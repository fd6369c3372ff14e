//! `/v1/authorizations`: attempts to connect an account.

mod read;
#[cfg(test)]
mod tests;
mod verify;

pub(super) use read::read;
pub(super) use verify::verify;
