//! What the table of routes says of an operation besides its path and handler.

use stead::ErrorKind;

use super::{Draft, Parameter};

/// What the document says of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    /// What it does to its resource, in one word.
    pub(crate) name: &'static str,
    /// One sentence. Without it, the route isn't part of the interface.
    pub(crate) summary: Option<&'static str>,
    pub(crate) query: &'static [&'static [Parameter]],
    /// Kinds of errors that don't follow from its form.
    pub(crate) errors: &'static [ErrorKind],
    /// Whether it sends requests to a product.
    pub(crate) calls: bool,
    /// Adds what it takes and gives.
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
