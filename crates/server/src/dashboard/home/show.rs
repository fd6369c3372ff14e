//! `GET /dashboard`.

use axum::response::Response;
use minijinja::{context, value::Serde};

use super::{
    overview::Overview,
    trial::{self, Ran},
};
use crate::{dashboard::page::Page, problem::Result};

pub(super) async fn show(page: Page) -> Result<Response> {
    with(&page, None).await
}

/// The page, with the result of a call that was just made.
pub(super) async fn with(page: &Page, ran: Option<Ran>) -> Result<Response> {
    let cards = match page.trial() {
        Some(trial) => Some(trial::cards(&page.environment, trial, ran).await?),
        None => None,
    };
    let overview = Overview::of(&page.environment, cards.is_some()).await?;
    let context = context! {
        cards => Serde(cards),
        user => page.trial().map(|trial| trial.user.as_str()),
        identifier => page.trial().map(|trial| trial.identifier.as_str()),
        addresses => Serde(page.trial().map(|trial| trial.addresses.as_slice())),
        overview => Serde(overview),
    };
    Ok(page.render("home/show.html", context))
}
