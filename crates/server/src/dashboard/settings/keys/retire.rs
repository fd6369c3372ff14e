//! `GET` and `POST /dashboard/settings/keys/{key_id}/retire`.

use axum::response::Response;
use stead::{Error, ErrorKind};
use stead_core::resource::{KeyCount, ListKeys, RetireKey};

use super::{super::question::Question, LIST, list::after};
use crate::{
    dashboard::{done::Done, page::Page},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(key_id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let keys = page
        .environment
        .send(ListKeys::new().count(KeyCount::rows(false)))
        .await?
        .data_keys;
    let key = keys.into_iter().find(|key| key.key_id == key_id);
    let key = key.ok_or_else(|| Error::new(ErrorKind::NotFound, "this data key doesn’t exist"))?;
    let backups = format!(
        "Older backups still need the key “{}” of your key ring. Keep it with them.",
        key.ring_key
    );
    let question = Question {
        title: String::from("Destroy the data key?"),
        consequences: &[
            "Stead first checks that no row is still encrypted with the key. This takes a moment.",
            &backups,
            "You can’t undo this.",
        ],
        text: "Destroy key",
        back: String::from(LIST),
    };
    Ok(question.ask(&page))
}

pub(super) async fn submit(page: Page, Path(key_id): Path<String>) -> Result<Response> {
    let retired = page.environment.send(RetireKey::new(&key_id)).await;
    after(&page, retired, Done::KeyRetired).await
}
