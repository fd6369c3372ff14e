//! Accounts that come with their tokens.

mod create;

pub(super) use create::create;
