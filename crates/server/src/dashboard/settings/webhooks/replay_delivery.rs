//! `POST /dashboard/settings/webhooks/{webhook_id}/deliveries/{event_id}/replay`.
use stead_core::resource::ReplayWebhookDelivery;

use axum::response::Response;

use super::path;
use crate::{
    dashboard::{done::Done, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn submit(
    page: Page,
    Path((id, event_id)): Path<(String, String)>,
) -> Result<Response> {
    page.environment
        .send(ReplayWebhookDelivery::new(&id, &event_id))
        .await?;
    Ok(page.redirect_done(&path(&id), Done::DeliveryReplayed))
}
