//! Describes single operations, by their declarations and the table of errors. `document` combines the descriptions.

mod draft;
mod errors;
pub(crate) mod examples;
mod operation;
pub(crate) mod parameter;
mod schemas;

pub(crate) use draft::Draft;
pub(crate) use errors::Form;
pub(crate) use operation::Operation;
pub(crate) use parameter::{Parameter, flag, list, number, one_of, text};
pub(crate) use schemas::Schemas;
