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
        "Only this action. With `.*` at the end, all actions that start with it.",
    ),
    text(
        "actor",
        "Only by this actor. Give its ID, or its type if it has no ID.",
    ),
    text("target", "Only changes to the target with this ID."),
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
