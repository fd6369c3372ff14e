//! The feed of events, in the order of commits.

mod cursor;
mod read;
#[cfg(test)]
mod tests;
mod view;
pub(crate) mod webhooks;

pub(crate) use read::read;
