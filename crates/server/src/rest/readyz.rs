//! `GET /readyz?exclude=`: this process can serve calls, for which it needs a free place and its store.

use axum::extract::State;

use super::healthz::Health;
use crate::{
    extract::{Json, Query},
    openapi::{Parameter, one_of},
    problem::Result,
    state::ServerState,
};

/// What a probe may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Store,
}

const PARTS: &[(&str, Part)] = &[("store", Part::Store)];

pub(super) const QUERY: &[Parameter] = &[one_of(
    "exclude",
    "With `store`, the store isn't checked; only capacity is. Use it for load balancers: calls with tokens in memory work even if the store is unavailable.",
    || PARTS.iter().map(|(name, _)| *name).collect(),
)];

/// Anyone may ask, and always gets a response; asked too often, it is the last one again.
pub(super) async fn show(
    State(state): State<ServerState>,
    mut query: Query,
) -> Result<Json<Health>> {
    let excluded = query.one_of("exclude", PARTS)?;
    query.end()?;
    state.in_flight.has_room()?;
    if excluded == Some(Part::Store) {
        return Ok(Json(Health { status: "ready" }));
    }
    // One at a time asks the store; the others wait for what it says.
    let mut last = state.readiness.lock().await;
    let ready = match &*last {
        Some(known) if !state.rates.may_probe() => known.clone(),
        _ => last.insert(state.environment.ready().await).clone(),
    };
    drop(last);
    ready?;
    Ok(Json(Health { status: "ready" }))
}
