//! The playground: runs a tool or sends a raw request as one of the users.

mod asked;
mod chosen;
mod fields;
mod outcome;
mod proxy;
mod readable;
mod run;
mod show;
mod snippets;
#[cfg(test)]
mod tests;
mod wanted;

use std::time::Duration;

use super::{
    page::Page,
    session::Role,
    table::{PageRoute, StepUp, action, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("playground/show.html", include_str!("show.html")),
    ("playground/proxy.html", include_str!("proxy.html")),
    ("playground/parts.html", include_str!("parts.html")),
];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page("/dashboard/playground", Role::Viewer, show::show),
        action(
            "/dashboard/playground/run",
            Role::Operator,
            StepUp::No,
            "POST /v1/tools/{name}/execute",
            run::run,
        ),
        action(
            "/dashboard/playground/dry-run",
            Role::Operator,
            StepUp::No,
            "POST /v1/tools/{name}/execute",
            run::dry_run,
        ),
        page("/dashboard/playground/proxy", Role::Viewer, proxy::show),
        action(
            "/dashboard/playground/proxy/send",
            Role::Operator,
            StepUp::No,
            "POST /v1/proxy",
            proxy::send,
        ),
    ]
}

/// The time since `began`.
fn micros_since(page: &Page, began: Duration) -> u64 {
    let now = page.environment.runtime().monotonic();
    u64::try_from(now.saturating_sub(began).as_micros()).unwrap_or(u64::MAX)
}

/// A text truncated to its first characters.
fn cut(text: &str, most: usize) -> Option<String> {
    let (end, _) = text.char_indices().nth(most)?;
    Some(format!("{}…", &text[..end]))
}
