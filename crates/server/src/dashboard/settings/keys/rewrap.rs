//! `POST /dashboard/settings/keys/rewrap`.

use axum::response::Response;
use stead_core::resource::RewrapKeys;

use super::list::after;
use crate::{
    dashboard::{done::Done, page::Page},
    problem::Result,
};

pub(super) async fn submit(page: Page) -> Result<Response> {
    let wrapped = page.environment.send(RewrapKeys::new()).await;
    after(&page, wrapped, Done::KeysRewrapped).await
}
