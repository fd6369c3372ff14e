//! `GET /v1/executions/totals?since=&before=&by=`.

use jiff::SignedDuration;
use stead::{
    Error,
    core::resource::{CallTotals, Page, TotalsStep},
};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, moment, one_of},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[
    moment(
        "since",
        "Start of the period. Defaults to an hour before the end, or a day if `by` is `hour`.",
    ),
    moment("before", "End of the period. Defaults to now."),
    one_of("by", "Count per minute or per hour.", || {
        TotalsStep::ALL.map(TotalsStep::name).to_vec()
    }),
];

pub(in crate::rest) async fn totals(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<CallTotals>>> {
    let (since, before) = (query.moment("since")?, query.moment("before")?);
    let steps = TotalsStep::ALL.map(|step| (step.name(), step));
    let step = query.one_of("by", &steps)?.unwrap_or_default();
    query.end()?;
    // What is read unless told, and at most.
    let (usual, most) = match step {
        TotalsStep::Hour => (SignedDuration::from_hours(24), 31 * 24),
        _ => (SignedDuration::from_hours(1), 24),
    };
    let now = environment.runtime().now();
    let before = before.unwrap_or(now);
    let since = since.unwrap_or_else(|| before.checked_sub(usual).unwrap_or(before));
    if before.duration_since(since) > SignedDuration::from_hours(most) {
        let by = step.name();
        let message = format!("per {by}, a request can cover at most {most} hours");
        return Err(Error::invalid_at("/since", message).into());
    }
    let totals = environment.execution_totals(step, since, before).await?;
    Ok(Json(Page::new(totals, None)))
}
