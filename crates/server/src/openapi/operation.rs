//! The entries of a route for the document, in addition to its path and handler.

use stead::ErrorKind;

use super::{Draft, Parameter};

/// The document's description of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    /// Its action on the resource, in one word.
    pub(crate) name: &'static str,
    /// One sentence. Without it, the route isn't part of the interface.
    pub(crate) summary: Option<&'static str>,
    pub(crate) query: &'static [&'static [Parameter]],
    /// Kinds of errors that don't follow from its form.
    pub(crate) errors: &'static [ErrorKind],
    /// Whether it sends requests to a product.
    pub(crate) calls: bool,
    /// Adds its body and its responses.
    pub(crate) describe: fn(&mut Draft<'_>),
}

impl Operation {
    /// A route that isn't part of the interface.
    pub(crate) const NONE: Self = Self {
        name: "",
        summary: None,
        query: &[],
        errors: &[],
        calls: false,
        describe: |_| {},
    };
}
