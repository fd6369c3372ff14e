//! The start page: the state of the environment, what needs attention, and in `dev` the products to try.

mod connect;
mod overview;
mod result;
mod run;
mod show;
mod to_do;
mod trial;

use super::{
    session::Role,
    table::{PageRoute, StepUp, action, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[("home/show.html", include_str!("show.html"))];

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod tests;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page("/dashboard", Role::Viewer, show::show),
        action(
            "/dashboard/try/{connection_name}/connect",
            Role::Operator,
            StepUp::No,
            "POST /v1/authorization-links",
            connect::connect,
        ),
        action(
            "/dashboard/try/{connection_name}/run",
            Role::Operator,
            StepUp::No,
            "POST /v1/tools/{name}/execute",
            run::run,
        ),
    ]
}
