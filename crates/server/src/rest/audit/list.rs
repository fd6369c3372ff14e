//! `GET /v1/audit?action=&actor=&target=&page_token=&page_size=`: the youngest entries first.

use stead::core::resource::{AuditEntry, AuditFilter, Page};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, text},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[
    text(
        "action",
        "Only this action; with `.*` at its end, all that begin so.",
    ),
    text(
        "actor",
        "Only by this one: the id of an actor, or its type where it has none.",
    ),
    text("target", "Only to the target with this id."),
];

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<AuditEntry>>> {
    let mut filter = AuditFilter::default();
    filter.action = query.text("action")?;
    filter.actor = query.text("actor")?;
    filter.target = query.text("target")?;
    let page = query.paging()?;
    query.end()?;
    let entries = environment
        .audit_entries(&filter, page.token.as_deref(), page.size)
        .await?;
    Ok(Json(entries))
}
