//! `GET /dashboard/settings/keys?count_rows=`.

use axum::response::Response;
use minijinja::{Value, context, value::Serde};
use stead::Error;
use stead_core::resource::{DataKey, DataKeyState, KeyCount, ListKeys};

use super::super::{refused::refused, sections::render};
use crate::{
    dashboard::{done::Done, page::Page},
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "settings/keys/list.html";

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let count_rows = query.flag("count_rows")?;
    query.end()?;
    let context = context(&page, count_rows).await?;
    Ok(render(&page, TEMPLATE, context))
}

/// The page after an action: it says what happened, or why the action was refused.
pub(super) async fn after<T>(
    page: &Page,
    outcome: Result<T, Error>,
    done: Done,
) -> Result<Response> {
    match outcome {
        Ok(_) => Ok(page.redirect_done(super::LIST, done)),
        Err(error) => refused(page, error, TEMPLATE, context(page, false).await?),
    }
}

async fn context(page: &Page, count_rows: bool) -> Result<Value, Error> {
    let mut keys = page
        .environment
        .send(ListKeys::new().count(KeyCount::rows(count_rows)))
        .await?;
    let now = page.environment.runtime().now();
    let newest = keys.ring.first().cloned().unwrap_or_default();
    let lives = |key: &&DataKey| key.state != DataKeyState::Retired;
    let is_wrapped_by_another = keys
        .data_keys
        .iter()
        .filter(lives)
        .any(|key| key.ring_key != newest);
    let of = |state| {
        keys.data_keys
            .iter()
            .rev()
            .find(|key| key.state == state)
            .cloned()
    };
    let added = of(DataKeyState::Added);
    let waits = added.as_ref().is_some_and(|key| {
        key.activatable_at.is_some_and(|from| now < from) || key.unopened_by > 0
    });
    let retiring = of(DataKeyState::Retiring);
    let reencryption = keys.reencryption.take();
    // The newest first.
    keys.data_keys.reverse();
    Ok(context! {
        keys => Serde(keys),
        newest => newest,
        is_wrapped_by_another => is_wrapped_by_another,
        added => Serde(added),
        waits => waits,
        retiring => Serde(retiring),
        reencryption => Serde(reencryption),
        is_counted => count_rows,
    })
}
