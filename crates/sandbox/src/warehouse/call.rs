//! A request of the SQL API that has passed the checks.

use crate::{query::Query, request::Request};

/// Who calls, by the token that came along.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) email: String,
    /// Role of the token; any of the user's where there is none.
    pub(super) role: Option<String>,
}

/// A request that has passed the checks.
pub(super) struct Call<'request> {
    pub(super) caller: Caller,
    pub(super) query: Query,
    pub(super) request: &'request Request,
}
