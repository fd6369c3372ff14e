//! Properties that hold for any input, one function each. The fuzz targets in `tests/fuzz` call them with
//! coverage-guided inputs, and tests in this crate call them with inputs from proptest. They panic if a property
//! doesn't hold.

mod callback;
mod headers;
mod tool_input;
mod webhook_url;

pub use callback::callback_query;
pub use headers::headers;
pub use tool_input::{Subject, tool_input};
pub use webhook_url::webhook_url;

/// A caller's path is rejected, or every parser reads it unchanged.
pub fn proxy_path(path: &str) {
    crate::proxy::path_holds(path);
}

/// A response of the token endpoint has exactly one meaning. Only the error `invalid_grant` counts as a rejected grant.
pub fn token_response(status: u16, body: &[u8]) {
    crate::oauth::token_response_holds(status, body);
}
