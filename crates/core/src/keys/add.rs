//! Adds a data key, which doesn't encrypt anything yet.

use super::view;
use crate::{
    Result,
    context::{Context, change::Change},
    resource::{self, AddKey},
};

/// Adds a data key under the first key of the ring.
pub(crate) async fn add(context: &Context, _: AddKey) -> Result<resource::DataKey> {
    let added = context
        .change(
            "keys.add",
            || async {
                let mut key = context.store.vault.new_data_key(context.host.new_id())?;
                key.created_at = context.store.now().await?;
                Ok(key)
            },
            |key| {
                let change = Change::none()
                    .event(key.event("key.added"))
                    .audit(key.audit("key.added"));
                Ok((change.insert(key.clone()), key))
            },
        )
        .await?;
    context.store.vault.reload().await?;
    Ok(view(&added, added.created_at, None))
}
