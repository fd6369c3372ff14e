//! Policies: allow calls, deny them, or require approval.

mod delete;
mod editor;
mod in_words;
mod list;
mod read;
mod set;
mod test;
#[cfg(test)]
mod tests;

use super::{
    session::Role,
    table::{PageRoute, StepUp, action, form_page, page},
};

const LIST: &str = "/dashboard/policies";

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("policies/list.html", include_str!("list.html")),
    ("policies/read.html", include_str!("read.html")),
    ("policies/delete.html", include_str!("delete.html")),
    ("policies/editor.html", include_str!("editor.html")),
];

/// The address of a policy's page. A policy's name needs no escaping.
fn path(name: &str) -> String {
    format!("{LIST}/{name}")
}

pub(super) fn routes() -> Vec<PageRoute> {
    let one = "/dashboard/policies/{policy_name}";
    let (set_there, of_one) = (
        "PUT /v1/policies/{policy_name}",
        "/dashboard/policies/{policy_name}/delete",
    );
    vec![
        page(LIST, Role::Viewer, list::list),
        action(
            LIST,
            Role::Operator,
            StepUp::First(LIST),
            set_there,
            set::create,
        ),
        page(one, Role::Viewer, read::read),
        action(
            one,
            Role::Operator,
            StepUp::First(one),
            set_there,
            set::change,
        ),
        action(
            "/dashboard/policies/{policy_name}/test",
            Role::Operator,
            StepUp::No,
            "POST /v1/policies/test",
            test::test,
        ),
        form_page(of_one, Role::Operator, delete::show),
        action(
            of_one,
            Role::Operator,
            StepUp::First(of_one),
            "DELETE /v1/policies/{policy_name}",
            delete::submit,
        ),
    ]
}
