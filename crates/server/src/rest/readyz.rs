//! `GET /readyz?exclude=`: whether this process can handle calls. For that, it needs a free place and its store.

use axum::extract::State;

use super::healthz::Health;
use crate::{
    extract::{Json, Query},
    openapi::{Parameter, one_of},
    problem::Result,
    state::ServerState,
};

/// Checks that a probe can exclude.
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

/// Anyone may ask, and always gets a response. If they ask too often, it's the previous one.
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
    // Only one request at a time asks the store. The others wait for its result.
    let mut last = state.readiness.lock().await;
    let ready = match &*last {
        Some(known) if !state.rates.may_probe() => known.clone(),
        _ => last.insert(state.environment.ready().await).clone(),
    };
    drop(last);
    ready?;
    Ok(Json(Health { status: "ready" }))
}
