//! `GET /v1/approvals?state=&page_token=&page_size=`: newest first, without the arguments.

use stead::core::resource::{Approval, ApprovalFilter, ApprovalState, Page};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, one_of},
    problem::Result,
};

pub(in crate::rest) const FILTER: &[Parameter] =
    &[one_of("state", "Only approvals in this state.", || {
        ApprovalState::ALL.map(ApprovalState::name).to_vec()
    })];

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<Approval>>> {
    let mut filter = ApprovalFilter::default();
    filter.state = query.one_of(
        "state",
        &ApprovalState::ALL.map(|state| (state.name(), state)),
    )?;
    let page = query.paging()?;
    query.end()?;
    let approvals = environment
        .approvals(&filter, page.token.as_deref(), page.size)
        .await?;
    Ok(Json(approvals))
}
