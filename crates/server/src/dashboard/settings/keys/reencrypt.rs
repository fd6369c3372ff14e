//! `POST /dashboard/settings/keys/reencrypt`.

use axum::response::Response;
use stead_core::resource::ReencryptAll;

use super::list::after;
use crate::{
    dashboard::{done::Done, page::Page},
    problem::Result,
};

pub(super) async fn submit(page: Page) -> Result<Response> {
    let started = page.environment.send(ReencryptAll::new()).await;
    after(&page, started, Done::KeysReencrypting).await
}
