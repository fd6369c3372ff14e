//! `GET /dashboard/approvals/{approval_id}`: the exact call to approve.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::ReadApproval;

use super::{facts, plain};
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn read(
    page: Page,
    Path(approval_id): Path<String>,
    query: Query,
) -> Result<Response> {
    query.end()?;
    let approval = page
        .environment
        .send(ReadApproval::new(&approval_id))
        .await?;
    let requests = facts::requests(&page, &approval).await;
    let is_known = !requests.is_empty() && requests.iter().all(|request| request.known);
    let mut facts: Vec<(String, Option<String>)> = Vec::new();
    for fact in requests.into_iter().flat_map(|request| request.facts) {
        let fact = (fact.kind, fact.value.as_deref().map(plain::text));
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    // A mail whose facts are partly unknown is still shown as a whole.
    let is_shown = approval.preview.is_some();
    let is_open = !is_known || !is_shown && facts.iter().any(|(_, value)| value.is_none());
    let preview = approval.preview.as_ref().map(|preview| {
        let fields = preview.fields.iter();
        let fields: Vec<(String, String)> = fields
            .map(|field| (plain::text(&field.name), plain::text(&field.value)))
            .collect();
        let hidden = preview.hidden_text.as_deref().map(plain::text);
        context! { title => preview.title.clone(), fields, text => plain::text(&preview.text), hidden }
    });
    let request = approval.request.as_ref().map(|request| {
        let body = request.body.as_deref().map(plain::text);
        context! { method => request.method.clone(), path => plain::text(&request.path), body }
    });
    let value = approval.arguments.clone().unwrap_or_default();
    let decoded: Vec<(String, String)> = plain::decoded(&value)
        .into_iter()
        .map(|(place, text)| {
            (
                plain::text(&place),
                plain::text(&text.replace("\r\n", "\n")),
            )
        })
        .collect();
    let arguments = plain::json(&value);
    let context = context! { approval => Serde(approval), preview, request, arguments, decoded, facts, is_open };
    Ok(page.render("approvals/read.html", context))
}
