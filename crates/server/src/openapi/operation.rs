//! What the table of routes says of an operation besides its path and handler.

use stead::ErrorKind;

use super::{Draft, Parameter};

/// One operation, as far as the signature of its handler does not say it.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    /// The name of its handler.
    pub(crate) name: &'static str,
    /// What it does, in a few words; without one it is not part of the interface.
    pub(crate) summary: Option<&'static str>,
    pub(crate) query: &'static [&'static [Parameter]],
    /// Kinds of errors besides those of its form.
    pub(crate) errors: &'static [ErrorKind],
    /// Whether it sends requests to a product.
    pub(crate) calls: bool,
    pub(crate) signature: fn(&mut Draft<'_>),
    pub(crate) more: Option<fn(&mut Draft<'_>)>,
}

impl Operation {
    /// An operation of which the signature of its handler says all.
    pub(crate) fn of<H>(signature: fn(&mut Draft<'_>)) -> Self {
        // `…::accounts::suspend::suspend`; of what shows one thing only, the name of that.
        let mut steps = std::any::type_name::<H>().rsplit("::");
        let mut name = steps.next().unwrap_or_default();
        if name == "show" {
            name = steps.next().unwrap_or(name);
        }
        Self {
            name,
            summary: None,
            query: &[],
            errors: &[],
            calls: false,
            signature,
            more: None,
        }
    }
}
