//! The page of the sandbox in `stead dev`: its records, the requests that it received, and its faults. Each action
//! calls a route of the sandbox's own API; the service has no such routes.

mod change;
mod show;
#[cfg(test)]
mod tests;

use stead::{Error, ErrorKind};

use super::{
    page::Page,
    session::Role,
    table::{PageRoute, page, sandbox_action},
};
use crate::options::SandboxControl;

pub(super) const TEMPLATES: &[(&str, &str)] = &[("sandbox/show.html", include_str!("show.html"))];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page("/dashboard/sandbox", Role::Viewer, show::show),
        sandbox_action(
            "/dashboard/sandbox/records",
            "POST /sandbox/records",
            change::add,
        ),
        sandbox_action(
            "/dashboard/sandbox/records/delete",
            "POST /sandbox/records/delete",
            change::delete,
        ),
        sandbox_action(
            "/dashboard/sandbox/faults",
            "POST /sandbox/faults",
            change::fault,
        ),
        sandbox_action(
            "/dashboard/sandbox/reset",
            "POST /sandbox/reset",
            change::reset,
        ),
    ]
}

/// The sandbox.
fn control(page: &Page) -> Result<&dyn SandboxControl, Error> {
    let none = || {
        Error::new(
            ErrorKind::NotFound,
            "this environment has no sandbox; only stead dev starts one",
        )
    };
    page.sandbox().ok_or_else(none)
}
