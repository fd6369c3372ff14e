//! The dashboard: pages in the browser for the people who run an environment. It reads and acts through the same
//! [`Environment`](stead_core::environment::Environment) as the JSON interface, and can do nothing more than it.
//!
//! A folder is a resource and a file is a verb. A page lists its templates and its routes; the navigation shows the
//! pages that have a route.

mod account_states;
mod accounts;
#[cfg(test)]
mod actions_tests;
mod activity;
mod approvals;
mod assets;
mod chart;
mod connections;
mod cookie;
mod done;
mod form;
mod format;
mod home;
mod icons;
mod live;
mod markdown;
mod page;
mod playground;
mod policies;
mod renderer;
mod sandbox;
mod schema;
mod session;
mod settings;
mod sign_in;
#[cfg(test)]
mod step_up_tests;
mod table;
#[cfg(test)]
mod tests;
mod tools;
mod words;

pub(crate) use page::{Dashboard, Door};
pub(crate) use table::PageRoute;

use self::settings::sections;
use crate::{Access, routes::Route};

/// The dashboard's part of the table of routes.
pub(crate) fn table() -> [(Access, Vec<Route>); 3] {
    let pages = routes().into_iter().map(|page| page.route);
    [
        (Access::Dashboard(Door::Members), pages.collect()),
        (Access::Dashboard(Door::SignIn), sign_in::open_routes()),
        (Access::Anyone, assets::routes()),
    ]
}

/// Every page and every action of the dashboard for members who are signed in.
pub(crate) fn routes() -> Vec<PageRoute> {
    [
        home::routes(),
        connections::routes(),
        accounts::routes(),
        activity::routes(),
        approvals::routes(),
        policies::routes(),
        playground::routes(),
        sandbox::routes(),
        tools::routes(),
        settings::routes(),
        sign_in::member_routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The templates of the pages by name, without the shared ones.
fn templates() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    [
        home::TEMPLATES,
        connections::TEMPLATES,
        accounts::TEMPLATES,
        activity::TEMPLATES,
        approvals::TEMPLATES,
        policies::TEMPLATES,
        playground::TEMPLATES,
        sandbox::TEMPLATES,
        tools::TEMPLATES,
        sign_in::TEMPLATES,
    ]
    .into_iter()
    .chain(settings::templates())
    .flatten()
}
