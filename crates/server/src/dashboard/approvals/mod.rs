//! Approvals: calls that a person must approve.

mod decide;
mod facts;
mod list;
mod plain;
mod read;
#[cfg(test)]
mod tests;

use super::{
    session::Role,
    table::{PageRoute, StepUp, action, page},
};

const LIST: &str = "/dashboard/approvals";

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("approvals/list.html", include_str!("list.html")),
    ("approvals/read.html", include_str!("read.html")),
];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page(LIST, Role::Viewer, list::list),
        page(
            "/dashboard/approvals/{approval_id}",
            Role::Operator,
            read::read,
        ),
        action(
            "/dashboard/approvals/deny",
            Role::Operator,
            StepUp::No,
            "POST /v1/approvals/{approval_id}/deny",
            decide::deny_all,
        ),
        action(
            "/dashboard/approvals/{approval_id}/approve",
            Role::Operator,
            StepUp::First("/dashboard/approvals/{approval_id}"),
            "POST /v1/approvals/{approval_id}/approve",
            decide::approve,
        ),
        action(
            "/dashboard/approvals/{approval_id}/deny",
            Role::Operator,
            StepUp::No,
            "POST /v1/approvals/{approval_id}/deny",
            decide::deny,
        ),
    ]
}
