//! A call, from the request of an application to the record of how it ended.
//!
//! The stages are the same for a tool ([`execute()`]) and for a raw request ([`raw`]), and stand in this order: find the
//! tool and validate its input, or validate path and headers; admit by product, scopes and policy; then for every
//! request to the product rate limit, token, send, read and retry, which only [`send`] does; at last record. What was
//! recorded is read by [`history`].

mod account_token;
mod admit;
#[cfg(test)]
mod bulkheads_tests;
mod by_member;
#[cfg(test)]
mod deadline_tests;
mod dry_run;
mod execute;
mod explain;
mod file;
mod find;
mod history;
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
pub(crate) use explain::explain;
pub(crate) use history::{execution, executions, history_bytes, totals, totals_by};
pub(crate) use raw::{send_raw, stream_raw, stream_raw_at_proxy_host};
pub(crate) use read_result::read_result;

use crate::{Error, ErrorKind, context::Panicked};

/// A write whose task ended without a result may have been carried out.
fn unknown_after_panic(panicked: Panicked) -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "an error in Stead interrupted the call, so it may or may not have succeeded; check at the product before you retry",
    )
    .with_source(Error::from(panicked))
}
