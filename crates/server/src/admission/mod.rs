//! Whether a request is taken at all: how many are under way, how often strangers call, and by which name the service
//! was called.

mod buckets;
mod host;
mod in_flight;
mod rates;
#[cfg(test)]
mod tests;

pub(crate) use host::{Hosts, check_host};
pub(crate) use in_flight::{InFlight, admit};
pub(crate) use rates::{Rates, check_rate};
