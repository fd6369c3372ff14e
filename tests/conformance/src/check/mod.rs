//! Checks a request, a response or a tool's scopes against a description.

mod fields;
pub(crate) mod request;
pub(crate) mod response;
