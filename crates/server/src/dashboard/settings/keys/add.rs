//! `POST /dashboard/settings/keys`.

use axum::response::Response;

use super::list::after;
use crate::{
    dashboard::{done::Done, page::Page},
    problem::Result,
};

pub(super) async fn submit(page: Page) -> Result<Response> {
    let added = page.environment.add_key().await;
    after(&page, added, Done::KeyAdded).await
}
