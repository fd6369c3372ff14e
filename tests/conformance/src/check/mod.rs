//! What is held against a description: a request, a response, a tool's scopes.

mod fields;
pub(crate) mod request;
pub(crate) mod response;
