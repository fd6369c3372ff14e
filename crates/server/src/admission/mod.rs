//! Whether a request is taken at all: how many are under way, and by which name the service was called.

mod host;
mod in_flight;
#[cfg(test)]
mod tests;

pub(crate) use host::{Hosts, check_host};
pub(crate) use in_flight::{InFlight, admit};
