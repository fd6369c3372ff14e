//! `/v1/authorizations`: attempts to connect an account.

#[cfg(test)]
mod tests;
mod verify;

pub(super) use verify::verify;
