//! `GET /dashboard/settings/audit/verify?expect=NUMBER:HASH&run=true`: reads the whole log if `run` is set.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::{AuditHead, ExpectedAudit, VerifyAudit};

use super::super::render::{refused, render};
use crate::{dashboard::page::Page, extract::Query, problem::Result};

const TEMPLATE: &str = "settings/audit/verify.html";

pub(super) async fn verify(page: Page, mut query: Query) -> Result<Response> {
    let expect = query.text("expect")?;
    let run = query.flag("run")?;
    query.end()?;
    let given = context! { expect => expect.clone() };
    let head = expect
        .as_deref()
        .map(|text| text.trim().parse::<AuditHead>())
        .transpose();
    let head = match head {
        Ok(head) => head,
        Err(error) => return refused(&page, error, TEMPLATE, given),
    };
    if !run {
        return Ok(render(&page, TEMPLATE, given));
    }
    let found = page
        .environment
        .send(VerifyAudit::new().expected(ExpectedAudit::new(head)))
        .await?;
    let context = context! {
        head => found.head.as_ref().map(ToString::to_string),
        found => Serde(found),
        ..given
    };
    Ok(render(&page, TEMPLATE, context))
}
