//! `GET /readyz`: this process can serve calls, which needs its store.

use axum::extract::State;

use super::healthz::Health;
use crate::{extract::Json, problem::Result, state::ServerState};

/// Anyone may ask, and always gets a response; asked too often, it is the last one again.
pub(super) async fn show(State(state): State<ServerState>) -> Result<Json<Health>> {
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
