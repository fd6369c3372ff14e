//! Puts the data keys under a new key of the ring.

use super::{list, view};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::data_key::Trigger,
    resource::{self, ListKeys, RewrapKeys},
};

/// Re-encrypts all data keys with the first key of the ring, and returns those that weren't. The data that they
/// encrypted stays unchanged.
pub(crate) async fn rewrap(context: &Context, _: RewrapKeys) -> Result<resource::Keys> {
    rewrap_all(context).await?;
    list(context, ListKeys::new()).await
}

pub(super) async fn rewrap_all(context: &Context) -> Result<Vec<resource::DataKey>> {
    let wrapped = context
        .change(
            "keys.rewrap",
            || async {
                let rows = context.store.data_keys().await?;
                let again = rows.into_iter().map(|found| {
                    let wrapped = context.store.vault.wrap_again(&found.row)?;
                    Ok(wrapped.map(|wrapped| (found, wrapped)))
                });
                again
                    .filter_map(Result::transpose)
                    .collect::<Result<Vec<_>>>()
            },
            |rows| {
                let (mut change, mut after) = (Change::none(), Vec::new());
                for (found, (ring_key, wrapped)) in rows {
                    let trigger = Trigger::Wrapped { ring_key, wrapped };
                    if let Some(key) = found.row.on(trigger, found.read_at)? {
                        let name = "key.rewrapped";
                        change = change.event(key.event(name)).audit(key.audit(name));
                        change = change.update(key.clone(), found.version);
                        after.push(view(&key, found.read_at, None));
                    }
                }
                Ok((change, after))
            },
        )
        .await?;
    context.store.vault.reload().await?;
    Ok(wrapped)
}
