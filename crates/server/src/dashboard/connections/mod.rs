//! Connections, from choosing a product to testing with a real consent.

mod choose;
mod client;
mod consent_test;
mod create;
mod delete;
mod edit;
mod fields;
mod list;
mod read;
mod secret;
mod set_up;
mod switch;
#[cfg(test)]
mod tests;

use super::{
    session::Role,
    table::{PageRoute, StepUp, action, form_page, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("connections/choose.html", include_str!("choose.html")),
    ("connections/client.html", include_str!("client.html")),
    (
        "connections/consent_test.html",
        include_str!("consent_test/show.html"),
    ),
    ("connections/create.html", include_str!("create.html")),
    ("connections/delete.html", include_str!("delete.html")),
    ("connections/edit.html", include_str!("edit.html")),
    ("connections/fields.html", include_str!("fields.html")),
    ("connections/list.html", include_str!("list.html")),
    ("connections/read.html", include_str!("read.html")),
    ("connections/secret.html", include_str!("secret.html")),
    ("connections/set_up.html", include_str!("set_up.html")),
];

/// The JSON route that changes a connection.
const CHANGE: &str = "PATCH /v1/connections/{connection_name}";

pub(super) fn routes() -> Vec<PageRoute> {
    // This can't clash with a connection named `new`, because connections have no page `product`.
    let new = "/dashboard/connections/new/product/{product}";
    let set_up = "/dashboard/connections/{connection_name}/set-up";
    let edit = "/dashboard/connections/{connection_name}/edit";
    let secret = "/dashboard/connections/{connection_name}/secret";
    let client = "/dashboard/connections/{connection_name}/client";
    let delete = "/dashboard/connections/{connection_name}/delete";
    let mut routes = vec![
        page("/dashboard/connections", Role::Viewer, list::list),
        page(
            "/dashboard/connections/new/product",
            Role::Operator,
            choose::choose,
        ),
        page(new, Role::Operator, create::show),
        action(
            new,
            Role::Operator,
            StepUp::No,
            "POST /v1/connections",
            create::submit,
        ),
        page(
            "/dashboard/connections/{connection_name}",
            Role::Viewer,
            read::read,
        ),
        page(set_up, Role::Operator, set_up::show),
        action(set_up, Role::Operator, StepUp::No, CHANGE, set_up::submit),
        form_page(edit, Role::Operator, edit::show),
        action(
            edit,
            Role::Operator,
            StepUp::First(edit),
            CHANGE,
            edit::submit,
        ),
        form_page(secret, Role::Operator, secret::show),
        action(
            secret,
            Role::Operator,
            StepUp::First(secret),
            CHANGE,
            secret::submit,
        ),
        form_page(client, Role::Operator, client::show),
        action(
            client,
            Role::Operator,
            StepUp::First(client),
            CHANGE,
            client::submit,
        ),
        action(
            "/dashboard/connections/{connection_name}/disable",
            Role::Operator,
            StepUp::No,
            CHANGE,
            switch::disable,
        ),
        action(
            "/dashboard/connections/{connection_name}/enable",
            Role::Operator,
            StepUp::First("/dashboard/connections/{connection_name}"),
            CHANGE,
            switch::enable,
        ),
        form_page(delete, Role::Operator, delete::show),
        action(
            delete,
            Role::Operator,
            StepUp::First(delete),
            "DELETE /v1/connections/{connection_name}",
            delete::submit,
        ),
    ];
    routes.extend(consent_test::routes());
    routes
}

/// The page of a connection. Its name needs no escaping.
fn path_of(connection_name: &str) -> String {
    format!("/dashboard/connections/{connection_name}")
}
