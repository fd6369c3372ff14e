//! What must hold for any input there is, a function each: called by the targets of `tests/fuzz` with inputs that are led by
//! coverage, and by tests here with those that proptest makes. They panic where something does not hold.

mod callback;
mod headers;
mod tool_input;
mod webhook_url;

pub use callback::callback_query;
pub use headers::headers;
pub use tool_input::{Subject, tool_input};
pub use webhook_url::webhook_url;

/// A caller's path is refused, or every parser reads it as it is.
pub fn proxy_path(path: &str) {
    crate::proxy::path_holds(path);
}

/// What the token endpoint responds has one meaning, and only a grant that is called invalid counts as refused.
pub fn token_response(status: u16, body: &[u8]) {
    crate::oauth::token_response_holds(status, body);
}
