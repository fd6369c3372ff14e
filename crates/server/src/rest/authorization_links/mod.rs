//! `/v1/authorization-links`: what a user opens to connect an account.

mod create;

pub(super) use create::create;
