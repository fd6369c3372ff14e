//! Accounts: each is one user's access to one connection.

mod change;
mod connect;
mod disconnect;
mod erase;
mod link;
#[cfg(test)]
mod link_tests;
mod list;
mod need;
mod qr;
mod read;
#[cfg(test)]
mod tests;
mod timeline;

use super::{
    format::segment,
    session::Role,
    table::{PageRoute, StepUp, action, form_page, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("accounts/connect.html", include_str!("connect.html")),
    ("accounts/disconnect.html", include_str!("disconnect.html")),
    ("accounts/erase.html", include_str!("erase.html")),
    ("accounts/link.html", include_str!("link.html")),
    ("accounts/list.html", include_str!("list.html")),
    ("accounts/read.html", include_str!("read.html")),
];

pub(super) fn routes() -> Vec<PageRoute> {
    let account = "/dashboard/accounts/{connection_name}/{identifier}";
    let disconnect = "/dashboard/accounts/{connection_name}/{identifier}/disconnect";
    let erase = "/dashboard/accounts/{connection_name}/{identifier}/erase";
    let ends = "DELETE /v1/accounts/{connection_name}/{identifier}";
    vec![
        page("/dashboard/accounts", Role::Viewer, list::list),
        page("/dashboard/accounts/connect", Role::Operator, connect::show),
        action(
            "/dashboard/accounts/connect",
            Role::Operator,
            StepUp::No,
            "POST /v1/authorization-links",
            connect::submit,
        ),
        page(account, Role::Viewer, read::read),
        action(
            "/dashboard/accounts/{connection_name}/{identifier}/link",
            Role::Operator,
            StepUp::No,
            "POST /v1/authorization-links",
            link::create,
        ),
        action(
            "/dashboard/accounts/{connection_name}/{identifier}/refresh",
            Role::Operator,
            StepUp::No,
            "POST /v1/accounts/{connection_name}/{identifier}/refresh",
            change::refresh,
        ),
        action(
            "/dashboard/accounts/{connection_name}/{identifier}/suspend",
            Role::Operator,
            StepUp::No,
            "POST /v1/accounts/{connection_name}/{identifier}/suspend",
            change::suspend,
        ),
        action(
            "/dashboard/accounts/{connection_name}/{identifier}/resume",
            Role::Operator,
            StepUp::First(account),
            "POST /v1/accounts/{connection_name}/{identifier}/resume",
            change::resume,
        ),
        page(disconnect, Role::Operator, disconnect::show),
        action(
            disconnect,
            Role::Operator,
            StepUp::No,
            ends,
            disconnect::submit,
        ),
        form_page(erase, Role::Operator, erase::show),
        action(
            erase,
            Role::Operator,
            StepUp::First(erase),
            ends,
            erase::submit,
        ),
    ]
}

/// The path of an account's page. An identifier can be any text.
pub(super) fn path(connection_name: &str, identifier: &str) -> String {
    let [connection_name, identifier] = [connection_name, identifier].map(segment);
    // Browsers would read two dots as the parent folder.
    let identifier = identifier.replace("..", "%2E%2E");
    format!("/dashboard/accounts/{connection_name}/{identifier}")
}
