//! `POST /dashboard/connections/{connection_name}/disable` and `/enable`.

use axum::response::Response;
use stead_core::resource::{ChangeConnection, ConnectionChange};

use super::path_of;
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn disable(page: Page, Path(name): Path<String>, _: Form) -> Result<Response> {
    switch(&page, &name, true, Done::ConnectionDisabled).await
}

pub(super) async fn enable(page: Page, Path(name): Path<String>, _: Form) -> Result<Response> {
    switch(&page, &name, false, Done::ConnectionEnabled).await
}

async fn switch(page: &Page, name: &str, disabled: bool, done: Done) -> Result<Response> {
    let change = ConnectionChange::default().disabled(disabled);
    page.environment
        .send(ChangeConnection::new(name, change))
        .await?;
    Ok(page.redirect_done(&path_of(name), done))
}
