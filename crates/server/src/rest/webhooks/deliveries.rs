//! `GET /v1/webhooks/{webhook_id}/deliveries?state=&page_token=&page_size=`: the youngest event first.

use stead::core::resource::{DeliveryState, Page, WebhookDelivery};

use crate::{
    extract::{Acting, Json, Path, Query},
    openapi::{Parameter, one_of},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] =
    &[one_of("state", "Only deliveries in this state.", || {
        DeliveryState::ALL.map(DeliveryState::name).to_vec()
    })];

pub(in crate::rest) async fn deliveries(
    Acting(environment): Acting,
    Path(id): Path<String>,
    mut query: Query,
) -> Result<Json<Page<WebhookDelivery>>> {
    let states = DeliveryState::ALL.map(|state| (state.name(), state));
    let state = query.one_of("state", &states)?;
    let page = query.paging()?;
    query.end()?;
    let deliveries = environment.webhook_deliveries(&id, state, page.token.as_deref(), page.size);
    Ok(Json(deliveries.await?))
}
