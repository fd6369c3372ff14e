//! What the interface's description says of one operation: from the types in the signature of its handler, and the table
//! of errors. `document` puts them together.

mod draft;
mod errors;
pub(crate) mod examples;
mod operation;
pub(crate) mod parameter;
mod schemas;
pub(crate) mod signature;

pub(crate) use draft::Draft;
pub(crate) use errors::Form;
pub(crate) use operation::Operation;
pub(crate) use parameter::{PAGING, Parameter, flag, list, moment, number, one_of, text};
pub(crate) use schemas::Schemas;
pub(crate) use signature::Signature;
