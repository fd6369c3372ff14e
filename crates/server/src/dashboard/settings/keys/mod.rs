//! Keys: the data keys, and the steps to replace one.

use jiff::Timestamp;
use minijinja::{Value as Context, context, value::Serde};
use serde_json::{Value, json};
use stead::Error;
use stead_core::resource::{ActivateKey, AddKey, ListKeys, ReencryptAll, RetireKey, RewrapKeys};

use super::pages::{Action, Member, Resource, Shown};
use crate::{
    dashboard::{done::Done, page::Page},
    extract::Query,
};

pub(super) const TEMPLATES: &[(&str, &str)] =
    &[("settings/keys/list.html", include_str!("list.html"))];

pub(super) fn resource() -> Resource {
    Resource {
        about: "Rotate the keys that encrypt the database’s secrets.",
        lead: "Data keys encrypt every secret in the database. Your key ring wraps (encrypts) the data keys. It stays in a file or an environment variable on the server.",
        icon: "key",
        items: "data_keys",
        newest_first: true,
        columns: vec![
            Member::of("key_id").label("Key"),
            Member::of("state").show(state),
            Member::of("ring_key").label("Wrapped by"),
            Member::of("created_at"),
            Member::of("activated_at").label("Active since").note("destroyed", "retired_at"),
            Member::of("rows").hint("Database rows with data that this key encrypts."),
        ],
        list_template: Some(("settings/keys/list.html", |page, keys, query| {
            let context = steps(page, keys, query);
            Box::pin(async { context })
        })),
        ..Resource::listed::<ListKeys>("key")
    }
    .with(Action {
        is_placed: true,
        ..Action::new::<AddKey>("", "Add a data key", Done::KeyAdded)
    })
    .with(Action {
        sends: json!({ "at_once": false }),
        when: |key| key["state"] == "retiring",
        ..Action::new::<ActivateKey>("activate", "Activate again", Done::KeyActivated)
    })
    .with(Action {
        is_placed: true,
        ..Action::new::<ReencryptAll>("reencrypt", "Re-encrypt", Done::KeysReencrypting)
    })
    .with(Action {
        title: "Destroy the data key?",
        consequences: &[
            "Stead first checks that no row is still encrypted with the key. This takes a moment.",
            "Older backups still need the key “{ring_key}” of your key ring. Keep it with them.",
            "You can’t undo this.",
        ],
        submit: "Destroy key",
        is_placed: true,
        ..Action::question::<RetireKey>("retire", "Destroy previous key", Done::KeyRetired)
    })
    .with(Action {
        is_placed: true,
        ..Action::new::<RewrapKeys>("rewrap", "Rewrap", Done::KeysRewrapped)
    })
}

fn state(key: &Value, _: Timestamp) -> Shown {
    Shown::states([format!("key_{}", key["state"].as_str().unwrap_or_default())])
}

/// Progress of replacing a data key.
fn steps(page: &Page, keys: &Value, query: &mut Query) -> Result<Context, Error> {
    let data_keys = keys["data_keys"].as_array().map_or(&[][..], Vec::as_slice);
    let newest = &keys["ring"][0];
    let last = |state: &str| data_keys.iter().rfind(|key| key["state"] == state);
    let added = last("added");
    let now = page.environment.runtime().now();
    let is_early = |key: &Value| {
        let from = key["activatable_at"].as_str();
        let from = from.and_then(|from| from.parse::<Timestamp>().ok());
        from.is_some_and(|from| now < from) || key["unopened_by"] != 0
    };
    let mut living = data_keys.iter().filter(|key| key["state"] != "retired");
    Ok(context! {
        ring => Serde(&keys["ring"]),
        newest => newest.as_str(),
        is_wrapped_by_another => living.any(|key| key["ring_key"] != *newest),
        added => Serde(added),
        waits => added.is_some_and(is_early),
        retiring => Serde(last("retiring")),
        reencryption => Serde(&keys["reencryption"]),
        is_counted => query.flag("count_rows")?,
    })
}
