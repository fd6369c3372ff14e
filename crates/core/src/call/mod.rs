//! A call, from an application's request to the record of its outcome.
//!
//! The stages are the same for a tool ([`execute()`]) and a raw request ([`raw`]). Stead first finds the tool and
//! validates its input, or validates the path and headers. Then it checks the product, scopes and policies. For every
//! request to the product, [`send`] handles the rate limit, token, sending, reading and retries. Finally, the call is
//! recorded, and [`history`] reads the records.

mod account_token;
mod admit;
#[cfg(test)]
mod bulkheads_tests;
mod by_member;
#[cfg(test)]
mod deadline_tests;
mod dry_run;
mod execute;
pub(crate) mod explain;
mod file;
mod find;
pub(crate) mod history;
mod mcp_session;
mod once;
mod outcome;
#[cfg(test)]
mod promises_tests;
mod raw;
mod read;
mod read_result;
mod record;
mod retry;
mod send;
mod sending;
mod shape;
mod tool_io;
mod unsent;
mod validate;

pub(crate) use execute::execute;
pub(crate) use raw::{send_raw, stream_raw, stream_raw_at_proxy_host};
pub(crate) use read_result::read_result;

use crate::{Error, ErrorKind, context::Panicked};

/// The write may have been carried out even if its task ended without a result.
fn unknown_after_panic(panicked: Panicked) -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "an error in Stead interrupted the call, so it may or may not have succeeded; check at the product before you retry",
    )
    .with_source(Error::from(panicked))
}
