//! Decides whether to admit a request: by the number of running requests, the rate of strangers, and the name by which
//! the service was called.

mod buckets;
mod host;
mod in_flight;
mod rates;
#[cfg(test)]
mod tests;

pub(crate) use host::{Hosts, check_host};
pub(crate) use in_flight::{InFlight, admit};
pub(crate) use rates::{Rates, check_rate};
