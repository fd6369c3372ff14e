//! `POST /dashboard/settings/keys/{key_id}/activate`.

use axum::response::Response;
use stead_core::resource::{ActivateKey, KeyActivation};

use super::list::after;
use crate::{
    dashboard::{done::Done, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn submit(page: Page, Path(key_id): Path<String>) -> Result<Response> {
    let active = page
        .environment
        .send(ActivateKey::new(
            &key_id,
            KeyActivation::default().at_once(false),
        ))
        .await;
    after(&page, active, Done::KeyActivated).await
}
