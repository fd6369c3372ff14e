//! Accounts: a user of the application at a product each.

mod list;

use super::{
    session::Role,
    table::{PageRoute, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[("accounts/list.html", include_str!("list.html"))];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![page("/dashboard/accounts", Role::Viewer, list::list)]
}
