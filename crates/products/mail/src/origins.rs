//! Names of the two APIs that make up the product.

/// Origin of the Gmail API; the first, so requests that name none go there.
pub(crate) const GMAIL: &str = "gmail";
/// Origin of the People API.
pub(crate) const PEOPLE: &str = "people";
