//! Names of the two APIs of this product.

/// The Gmail API. It's the first origin, so it's the default for requests.
pub(crate) const GMAIL: &str = "gmail";
/// The People API.
pub(crate) const PEOPLE: &str = "people";
