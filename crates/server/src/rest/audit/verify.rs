//! `GET /v1/audit/verify?expect=NUMBER:HASH`: reads the whole log, and names the first entry that does not fit.

use stead::core::resource::{AuditHead, AuditVerification};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, text},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] =
    &[text("expect", "NUMBER:HASH from an earlier verification.")];

pub(in crate::rest) async fn verify(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<AuditVerification>> {
    let expect = query.text("expect")?;
    query.end()?;
    let expect: Option<AuditHead> = expect.map(|text| text.parse()).transpose()?;
    Ok(Json(environment.verify_audit(expect.as_ref()).await?))
}
