//! `POST /dashboard/settings/keys/{key_id}/activate`.

use axum::response::Response;

use super::list::after;
use crate::{
    dashboard::{done::Done, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn submit(page: Page, Path(key_id): Path<String>) -> Result<Response> {
    let active = page.environment.activate_key(&key_id, false).await;
    after(&page, active, Done::KeyActivated).await
}
