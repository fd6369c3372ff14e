//! `GET /dashboard/settings/webhooks/{webhook_id}?state=&page_token=`.
use stead_core::api::Paging;
use stead_core::resource::{DeliveryFilter, ListWebhookDeliveries, ReadWebhook};

use axum::response::Response;
use minijinja::{Value, context, value::Serde};
use stead::Error;
use stead_core::resource::DeliveryState;

use super::super::sections::render;
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) const TEMPLATE: &str = "settings/webhooks/read.html";

pub(super) async fn read(page: Page, Path(id): Path<String>, mut query: Query) -> Result<Response> {
    let states = DeliveryState::ALL.map(|state| (state.name(), state));
    let state = query.one_of("state", &states)?;
    let paging = query.paging()?;
    query.end()?;
    let context = context(&page, &id, state, paging.token.as_deref()).await?;
    Ok(render(&page, TEMPLATE, context))
}

pub(super) async fn context(
    page: &Page,
    id: &str,
    state: Option<DeliveryState>,
    page_token: Option<&str>,
) -> Result<Value, Error> {
    let webhook = page.environment.send(ReadWebhook::new(id)).await?;
    let deliveries = page
        .environment
        .send(
            ListWebhookDeliveries::new(id)
                .filter(DeliveryFilter::of(state))
                .page(Paging::new(page_token, 50)),
        )
        .await?;
    let state = state.map(DeliveryState::name);
    Ok(context! {
        webhook => Serde(webhook),
        deliveries => Serde(deliveries.items),
        states => DeliveryState::ALL.map(DeliveryState::name),
        chosen => state,
        query => state.map_or_else(String::new, |state| format!("state={state}&")),
        page_token => page_token,
        next_page_token => deliveries.next_page_token,
    })
}
